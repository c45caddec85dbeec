import { canonicalJson } from '@hushrec/model/signing';
import { concatBytes, fromHex, hashHex, toHex, utf8 } from './bytes.js';
import type { DurableFolder } from './durable-folder.js';

/** A record that is not as it was written. What it said cannot be guessed, so nothing goes on without it. */
export class DamagedRecordError extends Error {
  override readonly name = 'DamagedRecordError';
  readonly kind = 'data';
  constructor(record: string) {
    super(
      `${record} in the folder of this run is damaged. Put it back as it was last written, never as it was before; without it nobody can tell what was handed in, added up or charged, so nothing goes on.`,
    );
  }
}

/** JSON of a file that carries no seal; what is none is told as damage, with the name of the file. */
export function parsedRecord<T>(name: string, bytes: Uint8Array): T {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as T;
  } catch {
    throw new DamagedRecordError(name);
  }
}

interface Sealed {
  readonly content: unknown;
  readonly seal: string;
}

/** Writes plain data with its SHA-256, so that a flipped bit is never taken for what was written. */
export async function writeSealed(folder: DurableFolder, name: string, content: unknown): Promise<void> {
  await folder.write(name, await sealed(content));
}

/** The same for a record that is not there yet; false where it is. */
export async function createSealed(folder: DurableFolder, name: string, content: unknown): Promise<boolean> {
  return folder.create(name, await sealed(content));
}

async function sealed(content: unknown): Promise<Uint8Array> {
  return utf8(canonicalJson({ content, seal: await hashHex(canonicalJson(content)) }));
}

/** What `writeSealed` wrote; undefined where there is nothing. */
export async function readSealed<T>(folder: DurableFolder, name: string): Promise<T | undefined> {
  const bytes = await folder.read(name);
  if (bytes === undefined) return undefined;
  const read = parsedRecord<Partial<Sealed> | null>(name, bytes);
  if (read?.content === undefined || read.seal !== (await hashHex(canonicalJson(read.content))))
    throw new DamagedRecordError(name);
  return read.content as T;
}

const sealBytes = 32;

/** Writes bytes with their SHA-256 behind them: sums of which a flipped bit would be a wrong result. */
export async function writeSealedBytes(
  folder: DurableFolder,
  name: string,
  parts: readonly Uint8Array[],
): Promise<void> {
  const content = concatBytes(parts);
  await folder.write(name, concatBytes([content, fromHex(await hashHex(content))]));
}

/** What `writeSealedBytes` wrote; undefined where there is nothing. */
export async function readSealedBytes(
  folder: DurableFolder,
  name: string,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const bytes = await folder.read(name);
  if (bytes === undefined) return undefined;
  const content = bytes.slice(0, -sealBytes);
  if (bytes.length < sealBytes || toHex(bytes.slice(-sealBytes)) !== (await hashHex(content)))
    throw new DamagedRecordError(name);
  return content;
}
