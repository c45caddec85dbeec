/**
 * Damages copies of a ledger and asks each for its whole content and for a decision. `node
 * packages/ledger/dist/damaged-ledgers.test.data.js <count> [seed]` tries so many and prints what happened;
 * an abort of the process would end it before that line.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gaussianAccountant } from './example-accountant.test.data.js';
import { filledAccount, fillLedger } from './filled-ledger.test.data.js';
import type { Ledger } from './ledger.js';
import { BudgetExceededError } from './ledger-errors.js';
import { openLedger } from './open-ledger.js';

const protection = { unit: 'user', relation: 'add-remove' } as const;
/** Far more than what is granted. */
const tooMuch = { kind: 'event', event: { kind: 'gaussian', sensitivity: 1, noise: 0.1 } } as const;

export interface DamageReport {
  readonly tried: number;
  /** Noticed when the ledger was opened, asked for a decision, or checked as a whole. */
  readonly refused: number;
  /** The damage lay where nothing is stored: every answer was that of the undamaged ledger. */
  readonly harmless: number;
  /** What must not happen, in words. */
  readonly wrong: readonly string[];
}

/** Repeatable bytes. */
function stream(seed: string): (limit: number) => number {
  let block = createHash('sha256').update(seed).digest();
  let at = 0;
  return (limit) => {
    if (at + 6 > block.length) {
      block = createHash('sha256').update(block).digest();
      at = 0;
    }
    const value = block.readUIntBE(at, 6);
    at += 6;
    return value % limit;
  };
}

/** One bit in most cases; also runs of noise, zeroed or repeated pages, a file cut off. */
function damaged(whole: Buffer, draw: (limit: number) => number): { bytes: Buffer; what: string } {
  const bytes = Buffer.from(whole);
  const page = 4096;
  const kind = draw(10);
  const at = draw(bytes.length);
  if (kind < 6) {
    const bit = draw(8);
    bytes[at] ^= 1 << bit;
    return { bytes, what: `bit ${bit} of byte ${at} flipped` };
  }
  if (kind === 6) {
    const length = Math.min(1 + draw(64), bytes.length - at);
    for (let k = 0; k < length; k++) bytes[at + k] = draw(256);
    return { bytes, what: `${length} bytes of noise at ${at}` };
  }
  const start = at - (at % page);
  if (kind === 7) {
    bytes.fill(0, start, start + page);
    return { bytes, what: `page at ${start} zeroed` };
  }
  if (kind === 8) {
    const from = draw(bytes.length / page) * page;
    bytes.copy(bytes, start, from, from + page);
    return { bytes, what: `page at ${from} written over page at ${start}` };
  }
  return { bytes: bytes.subarray(0, at), what: `cut off at byte ${at}` };
}

export async function tryDamagedLedgers(count: number, seed = 1): Promise<DamageReport> {
  const folder = mkdtempSync(join(tmpdir(), 'hushrec-damage-'));
  try {
    const bases: { whole: Buffer; entries: string }[] = [];
    for (const size of [12, 900]) {
      const file = join(folder, `base-${size}.sqlite`);
      await fillLedger(file, size);
      const ledger = await openLedger(file, { accountant: gaussianAccountant });
      bases.push({ whole: readFileSync(file), entries: JSON.stringify(await ledger.entries()) });
      await ledger.close();
    }
    let refused = 0;
    let harmless = 0;
    const wrong: string[] = [];
    for (let at = 0; at < count; at++) {
      const draw = stream(`${seed} ${at}`);
      const base = bases[draw(8) === 0 ? 1 : 0];
      const { bytes, what } = damaged(base.whole, draw);
      const file = join(folder, `victim-${at}.sqlite`);
      writeFileSync(file, bytes);
      const outcome = await answersOf(file, base.entries);
      for (const end of ['', '-journal', '-wal', '-shm']) rmSync(file + end, { force: true });
      if (outcome === 'refused') refused++;
      else if (outcome === 'harmless') harmless++;
      else wrong.push(`case ${at} (${what}): ${outcome}`);
    }
    return { tried: count, refused, harmless, wrong };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function answersOf(file: string, entries: string): Promise<string> {
  let ledger: Ledger | undefined;
  try {
    ledger = await openLedger(file, { accountant: gaussianAccountant, patience: 1000 });
    // A decision first: it must never be more generous than the undamaged ledger's.
    const asked = { account: filledAccount, jobKey: 'new', method: 'dpals', protection, charge: tooMuch };
    await ledger.spend(asked).then(
      () => {
        throw new Error('spent more than was granted');
      },
      (error: unknown) => {
        if (!(error instanceof BudgetExceededError)) throw error;
      },
    );
    await ledger.check();
    await ledger.sharedWith(['person 1']);
    return JSON.stringify(await ledger.entries()) === entries ? 'harmless' : 'other entries without an error';
  } catch (error) {
    const { name, message } = error as Error;
    const isMeant = ['LedgerCorruptError', 'LedgerFormatError', 'LedgerUnavailableError'].includes(name);
    return isMeant && message.includes(file) ? 'refused' : `${name}: ${message}`;
  } finally {
    await ledger?.close();
  }
}

if (process.argv[1]?.endsWith('damaged-ledgers.test.data.js')) {
  const report = await tryDamagedLedgers(Number(process.argv[2] ?? 3000), Number(process.argv[3] ?? 1));
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  process.exitCode = report.wrong.length === 0 ? 0 : 1;
}
