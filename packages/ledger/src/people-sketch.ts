import { createHmac } from 'node:crypto';
import { isKeyedHash, keyedHash, type LedgerKey } from './ledger-key.js';

/**
 * A sketch of a set of people: the `sketchSize` smallest keyed hashes of their ids (k minimum values, Beyer
 * et al. 2007). Of two sets it tells which share of one is in the other, without storing an id; sets up to
 * the size of the sketch are compared exactly. Without the ledger's key it tells nothing; with it, guesses of
 * ids can be tested, so the ledger is as confidential as the list of people.
 */
export interface PeopleRow {
  readonly account: string;
  /** Ascending hashes of 8 bytes each. */
  readonly sketch: Uint8Array;
  readonly seal: string;
}

export const sketchSize = 4096;

/**
 * Above this share of an import's people in another account, or of another account's people in the import,
 * the two are about the same people. The second counts too: else a budget would be whole again for everyone
 * as soon as enough strangers are imported with them.
 */
export const sharedLimit = 0.1;
const hashBytes = 8;

/** Hashes of ids as numbers that sort as their bytes do: ascending, each once. */
export function peopleHashes(key: LedgerKey, ids: Iterable<string>): BigUint64Array {
  const all: bigint[] = [];
  for (const id of ids)
    all.push(createHmac('sha256', key).update('person\n').update(id).digest().readBigUInt64BE(0));
  return distinct(BigUint64Array.from(all).sort());
}

/** The sketch of an account with more people added; it never forgets anyone. */
export function peopleWith(
  key: LedgerKey,
  account: string,
  before: PeopleRow | undefined,
  hashes: BigUint64Array,
): PeopleRow {
  const known = before === undefined ? new BigUint64Array() : sketchHashes(before);
  const merged = new BigUint64Array(known.length + Math.min(hashes.length, sketchSize));
  merged.set(known);
  merged.set(hashes.subarray(0, sketchSize), known.length);
  const smallest = distinct(merged.sort()).subarray(0, sketchSize);
  const sketch = Buffer.alloc(smallest.length * hashBytes);
  for (const [at, hash] of smallest.entries()) sketch.writeBigUInt64BE(hash, at * hashBytes);
  return { account, sketch, seal: keyedHash(key, 'people', sealedBytes(account, sketch)) };
}

export function isSealedPeople(key: LedgerKey, { account, sketch, seal }: PeopleRow): boolean {
  return sketch.length % hashBytes === 0 && isKeyedHash(key, 'people', sealedBytes(account, sketch), seal);
}

/** A set of people: everyone's hash, or all below the largest one that is there. */
export interface KnownPeople {
  /** Ascending. */
  readonly hashes: BigUint64Array;
  readonly isWhole: boolean;
}

export function sketchedPeople(row: PeopleRow): KnownPeople {
  const hashes = sketchHashes(row);
  return { hashes, isWhole: hashes.length < sketchSize };
}

/**
 * How two sets of people overlap: the estimated share of those behind `hashes` who are in the sketched set
 * (of those whose hash lies below the sketch's largest, the share that is in it; 0 where none lies below),
 * and the share of the sketched set who are among them. Exact where the sketch holds its whole set.
 */
export function sharedPeople(
  hashes: BigUint64Array,
  { hashes: known, isWhole }: KnownPeople,
): { readonly share: number; readonly accountShare: number } {
  const limit = known.at(-1) ?? 0n;
  const set = new Set(known);
  let compared = 0;
  let shared = 0;
  for (const hash of hashes) {
    if (!isWhole && hash > limit) break;
    compared++;
    if (set.has(hash)) shared++;
  }
  const of = (all: number) => (all === 0 ? 0 : shared / all);
  return { share: of(compared), accountShare: of(known.length) };
}

/** Fewer people than this, met in a part of a set, say too little about the rest of it. */
const leastCompared = 16;

/**
 * Estimated share of `people` who are in at least one of `sets`. Of everyone below a set's largest hash it is
 * known whether she is in it; the best known set comes first, and each adds the share of those compared with
 * it who are in it and in none before, which is known of them as well. Nobody counts twice, and where all
 * sets are whole the share is exact. A set that is not whole counts from `leastCompared` people on.
 */
export function shareInAny(people: KnownPeople, sets: readonly KnownPeople[]): number {
  const limitOf = ({ hashes, isWhole }: KnownPeople) => (isWhole ? 2n ** 64n : (hashes.at(-1) ?? 0n));
  const bestFirst = sets
    .map((set) => ({ limit: limitOf(set), members: new Set(set.hashes), isWhole: set.isWhole }))
    .sort((a, b) => (a.limit > b.limit ? -1 : a.limit < b.limit ? 1 : 0));
  const seen = new Set<bigint>();
  let share = 0;
  for (const { limit, members, isWhole } of bestFirst) {
    let compared = 0;
    let found = 0;
    for (const hash of people.hashes) {
      if (hash > limit) break;
      compared++;
      if (!members.has(hash) || seen.has(hash)) continue;
      seen.add(hash);
      found++;
    }
    if (compared >= (isWhole ? 1 : leastCompared)) share += found / compared;
  }
  return share;
}

function sketchHashes({ sketch }: PeopleRow): BigUint64Array {
  const bytes = Buffer.from(sketch);
  return BigUint64Array.from({ length: bytes.length / hashBytes }, (_, at) =>
    bytes.readBigUInt64BE(at * hashBytes),
  );
}

function distinct(sorted: BigUint64Array): BigUint64Array {
  return sorted.filter((hash, at) => at === 0 || hash !== sorted[at - 1]);
}

function sealedBytes(account: string, sketch: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`${account}\n`), sketch]);
}
