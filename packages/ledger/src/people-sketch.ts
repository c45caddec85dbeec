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

/** People who are in any of several sets. The sketch of a union is the smallest hashes of the sketches. */
export function unitedPeople(sets: readonly KnownPeople[]): KnownPeople {
  if (sets.length === 1) return sets[0];
  const all = distinct(BigUint64Array.from(sets.flatMap(({ hashes }) => [...hashes])).sort());
  // Above the smallest limit of a sketch somebody may be missing.
  const limits = sets.flatMap(({ hashes, isWhole }) => (isWhole ? [] : [hashes.at(-1) ?? 0n]));
  if (limits.length === 0) return { hashes: all, isWhole: true };
  const limit = limits.reduce((least, each) => (each < least ? each : least));
  return { hashes: all.filter((hash) => hash <= limit), isWhole: false };
}

/**
 * How two sets of people overlap: the estimated share of `people` who are in the known set, and of the known
 * set who are among `people`. Nothing is known above the largest hash of a sketch that is not whole, so what
 * lies above either limit is not compared; 0 where too little is left. Exact where both sets are whole.
 * O(n + m): both are sorted.
 */
export function sharedPeople(
  people: KnownPeople,
  known: KnownPeople,
): { readonly share: number; readonly accountShare: number } {
  const [ours, theirs] = [people.hashes, known.hashes];
  const below = (hashes: BigUint64Array, set: KnownPeople) => {
    if (set.isWhole) return hashes.length;
    const limit = set.hashes.at(-1) ?? 0n;
    let count = hashes.length;
    while (count > 0 && hashes[count - 1] > limit) count--;
    return count;
  };
  const [ourEnd, theirEnd] = [below(ours, known), below(theirs, people)];
  let shared = 0;
  for (let our = 0, their = 0; our < ourEnd && their < theirEnd; ) {
    const [one, other] = [ours[our], theirs[their]];
    if (one === other) shared++;
    if (one <= other) our++;
    if (other <= one) their++;
  }
  const of = (all: number, least: number) => (all < least ? 0 : shared / all);
  return { share: of(ourEnd, 1), accountShare: of(theirEnd, people.isWhole ? 1 : leastCompared) };
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
