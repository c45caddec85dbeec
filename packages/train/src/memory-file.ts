import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { keptAfter, type MethodMemory, type RecalledMemory, type SettingValues } from '@hushrec/factorize';
import type { CertifiedRelease, ChainStatement, RatingRange, TrainedOn } from '@hushrec/model';
import { decodeTensors, encodeTensors, type Tensor } from '@hushrec/model/making';
import { canonicalJson } from '@hushrec/model/signing';
import { disk, replaceFile } from '@hushrec/ratings';

const MAGIC = 'hushrec-memory-1\n';

/** One run of a chain: its budget, and the day it was made. */
export interface RememberedRun {
  readonly mu: number;
  /** Distance of its samplers from their exact laws, which δ pays for. */
  readonly totalVariation: number;
  /** `YYYY-MM-DD`. */
  readonly day: string;
}

/**
 * What the runs of an account released, as the next one remembers it: public, as the releases are, and
 * self-contained. It belongs to the account and not to the live model: a run whose model was held back or
 * rolled back was paid for, and is remembered.
 */
export interface AccountMemory extends MethodMemory {
  readonly account: string;
  readonly method: string;
  readonly settings: SettingValues;
  readonly scale: RatingRange;
  readonly part: TrainedOn | null;
  readonly itemIds: readonly string[];
  /** Oldest first. */
  readonly runs: readonly RememberedRun[];
  /** SHA-256 of the memory that the last of them began with, and so on: the chain. */
  readonly before: string | null;
}

/** With the hash by which models, plans and job keys name it. */
export interface KeptMemory extends AccountMemory {
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

/** A memory that cannot be read, and why. */
export class MemoryFileError extends Error {
  override readonly name = 'MemoryFileError';
  readonly kind = 'data';
  constructor(reason: string, options?: ErrorOptions) {
    super(
      `The memory of earlier runs cannot be used: ${reason} Put it back from a copy, or begin anew with --begin-anew.`,
      options,
    );
  }
}

/** Where the memory of an account lies: beside the model that its runs refresh. */
export function memoryFileOf(modelDirectory: string): string {
  return `${resolve(modelDirectory)}.memory`;
}

/** Where that of a run lies until its model is in place. */
export function nextMemoryFileOf(modelDirectory: string): string {
  return `${memoryFileOf(modelDirectory)}.next`;
}

const HASH_BYTES = 32;

/**
 * Equal memories give equal bytes: a line, the SHA-256 of what follows (a bit that flips on a disk must not
 * become another ε), the length of a description (4 bytes), it, and tensors.
 */
export function encodeMemory(memory: AccountMemory): KeptMemory {
  const { byItem, arrays, ...described } = memory;
  const tensors: Record<string, Tensor> = {};
  for (const [name, data] of Object.entries(byItem)) tensors[`item.${name}`] = { shape: [data.length], data };
  for (const [name, data] of Object.entries(arrays))
    tensors[`array.${name}`] = { shape: [data.length], data };
  const header = Buffer.from(canonicalJson(described));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(header.length);
  const content = Buffer.concat([length, header, encodeTensors(tensors)]);
  const bytes = Buffer.concat([Buffer.from(MAGIC), createHash('sha256').update(content).digest(), content]);
  return { ...memory, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** @throws MemoryFileError */
export function decodeMemory(bytes: Uint8Array): KeptMemory {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const from = MAGIC.length + HASH_BYTES;
  const start = from + 4;
  if (buffer.length < start || buffer.subarray(0, MAGIC.length).toString('latin1') !== MAGIC)
    throw new MemoryFileError('it does not begin like one.');
  const hash = createHash('sha256').update(buffer.subarray(from)).digest();
  if (Buffer.compare(hash, buffer.subarray(MAGIC.length, from)) !== 0)
    throw new MemoryFileError('it is damaged: its content is not what was written.');
  const end = start + buffer.readUInt32LE(from);
  try {
    const described = JSON.parse(buffer.subarray(start, end).toString('utf8')) as Omit<
      AccountMemory,
      'byItem' | 'arrays'
    >;
    const byItem: Record<string, Float32Array> = {};
    const arrays: Record<string, Float32Array> = {};
    for (const [name, { data }] of Object.entries(decodeTensors(buffer.subarray(end)))) {
      const kind = name.startsWith('item.') ? byItem : arrays;
      kind[name.slice(name.indexOf('.') + 1)] = data as Float32Array;
    }
    const memory = encodeMemory({ ...described, byItem, arrays });
    const fault = faultIn(memory);
    if (fault !== undefined) throw new Error(fault);
    if (Buffer.compare(memory.bytes, buffer) !== 0) throw new Error('it holds more than a memory does.');
    return memory;
  } catch (error) {
    throw new MemoryFileError(`it is damaged: ${(error as Error).message}`, { cause: error });
  }
}

function faultIn({ itemIds, runs, byItem, figures }: AccountMemory): string | undefined {
  if (new Set(itemIds).size !== itemIds.length) return 'an item is in it twice.';
  const isRun = ({ mu, totalVariation, day }: RememberedRun) =>
    mu > 0 && mu < Infinity && totalVariation >= 0 && totalVariation < 1 && !Number.isNaN(Date.parse(day));
  if (runs.length === 0 || !runs.every(isRun)) return 'it does not say which runs it comes from.';
  const uneven = Object.entries(byItem).find(([, data]) => data.length % itemIds.length !== 0);
  if (uneven !== undefined) return `"${uneven[0]}" has not as many numbers for every item.`;
  return Object.values(figures).every(Number.isFinite) ? undefined : 'a figure is no number.';
}

/** The memory that is there, with what it was left by a run that was stopped after its model was in place. */
export async function readMemory(modelDirectory: string): Promise<KeptMemory | undefined> {
  const file = memoryFileOf(modelDirectory);
  return existsSync(file) ? decodeMemory(await readFile(file)) : undefined;
}

/** Durable before the model is in place, under a name that no run begins with. */
export async function keepNextMemory(modelDirectory: string, { bytes }: KeptMemory): Promise<void> {
  await replaceFile(disk, nextMemoryFileOf(modelDirectory), bytes);
}

/**
 * The model of a run is in place: the memory that it left becomes that of the account. One that another run
 * left, which was stopped before its model was in place, goes.
 */
export async function adoptNextMemory(modelDirectory: string, after: string | undefined): Promise<void> {
  const next = nextMemoryFileOf(modelDirectory);
  if (!existsSync(next)) return;
  const hash = createHash('sha256')
    .update(await readFile(next))
    .digest('hex');
  if (hash === after) await disk.rename(next, memoryFileOf(modelDirectory));
  else await disk.remove(next);
  await disk.syncFolder(dirname(next));
}

const usualDays = 7;
const day = 86_400_000;

/**
 * What is left of a memory's weight: half after 30 days. How many days have passed is taken from the memory
 * itself, as those between its last two runs (a week where there is one): so a run that is resumed on another
 * day is the same run.
 */
export function keptOf({ runs }: AccountMemory): number {
  const [before, last] = runs.slice(-2).map(({ day: date }) => Date.parse(date));
  return keptAfter(last === undefined ? usualDays : (last - before) / day);
}

/** The memory in the order of these items; of items that are new it knows nothing. O(numbers). */
export function recalledFor(memory: AccountMemory, itemIds: readonly string[], kept: number): RecalledMemory {
  const rowOf = new Map(memory.itemIds.map((id, row) => [id, row]));
  const byItem = Object.fromEntries(
    Object.entries(memory.byItem).map(([name, data]) => {
      const width = data.length / memory.itemIds.length;
      const rows = new Float32Array(itemIds.length * width);
      itemIds.forEach((id, item) => {
        const row = rowOf.get(id);
        if (row !== undefined) rows.set(data.subarray(row * width, (row + 1) * width), item * width);
      });
      return [name, rows];
    }),
  );
  return { figures: memory.figures, byItem, arrays: memory.arrays, kept };
}

/** Distance of a run's samplers from their exact laws, by the lines of its certificate. */
export function samplerDistanceOf(releases: readonly CertifiedRelease[]): number {
  return releases.reduce(
    (sum, { mechanism, totalVariation = 1 }) =>
      mechanism === 'sampler-distance' ? sum + totalVariation : sum,
    0,
  );
}

/** The runs of a memory as a certificate states them. */
export function chainOf({ sha256, runs }: KeptMemory): Pick<ChainStatement, 'memory' | 'earlier'> {
  const earlier: { mu: number; count: number; totalVariation: number }[] = [];
  for (const { mu, totalVariation } of runs) {
    const last = earlier.at(-1);
    if (last?.mu === mu) {
      last.count++;
      last.totalVariation += totalVariation;
    } else earlier.push({ mu, count: 1, totalVariation });
  }
  return { memory: sha256, earlier };
}

/** Why a run cannot go on from a memory, by public knowledge; undefined where it can. */
export function whyNotRemembered(
  memory: AccountMemory,
  run: Pick<AccountMemory, 'account' | 'method' | 'settings' | 'scale' | 'part'>,
): string | undefined {
  if (memory.account !== run.account) return 'it is that of another account';
  if (memory.method !== run.method) return `it is of ${memory.method}`;
  if (canonicalJson(memory.settings) !== canonicalJson(run.settings)) return 'settings are not the same';
  if (canonicalJson([memory.scale, memory.part]) !== canonicalJson([run.scale, run.part]))
    return 'what is learned from is not the same';
  return undefined;
}
