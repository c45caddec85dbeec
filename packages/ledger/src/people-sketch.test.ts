import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  isSealedPeople,
  type PeopleRow,
  peopleHashes,
  peopleWith,
  sharedPeople,
  shareInAny,
  sketchedPeople,
  sketchSize,
} from './people-sketch.js';

const key = randomBytes(32);
const account = 'a'.repeat(32);
const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `person ${from + at}`);
const sketch = (...parts: string[][]): PeopleRow =>
  parts.reduce<PeopleRow | undefined>(
    (row, part) => peopleWith(key, account, row, peopleHashes(key, part)),
    undefined,
  )!;

const whole = (hashes: BigUint64Array) => ({ hashes, isWhole: true });

describe('sketches of people', () => {
  it('compare small sets exactly', () => {
    const row = sketch(ids(0, 1000));
    const shared = (from: number, to: number) =>
      sharedPeople(whole(peopleHashes(key, ids(from, to))), sketchedPeople(row));
    expect(shared(900, 1900)).toEqual({ share: 0.1, accountShare: 0.1 });
    expect(shared(1000, 1010)).toEqual({ share: 0, accountShare: 0 });
    expect(shared(0, 10)).toEqual({ share: 1, accountShare: 0.01 });
    expect(shared(0, 4000)).toEqual({ share: 0.25, accountShare: 1 });
  });

  // The hashes are random: of about 4,096 compared, a share of 0.2 is off by 0.05 with probability below
  // 1e-12.
  it('estimate large ones, and remember all that were added', () => {
    const row = sketch(ids(0, 15_000), ids(15_000, 30_000));
    expect(row.sketch.length).toBe(sketchSize * 8);
    expect(row).toEqual(sketch(ids(0, 30_000)));
    const { share, accountShare } = sharedPeople(
      whole(peopleHashes(key, ids(24_000, 84_000))),
      sketchedPeople(row),
    );
    expect(Math.abs(share - 0.1)).toBeLessThan(0.05);
    expect(Math.abs(accountShare - 0.2)).toBeLessThan(0.05);
  });

  const known = (from: number, to: number) => sketchedPeople(sketch(ids(from, to)));
  const everyone = (from: number, to: number) => ({
    hashes: peopleHashes(key, ids(from, to)),
    isWhole: true,
  });

  it('say which share of people is in any of several sets, nobody twice', () => {
    const sets = [known(0, 100), known(50, 150), known(900, 901)];
    expect(shareInAny(everyone(0, 1000), sets)).toBeCloseTo(0.151, 12);
    expect(shareInAny(everyone(0, 1000), [])).toBe(0);
    expect(shareInAny(everyone(2000, 2010), sets)).toBe(0);
  });

  // 4,000 of the 12,000 are in both large sets, 4,000 more in one of them, 200 in the small one. About 8,000
  // are compared; the share is off by 0.05 with probability below 1e-12.
  it('estimate that of large ones', () => {
    const sets = [known(0, 6000), known(2000, 8000), known(11_800, 12_000)];
    expect(Math.abs(shareInAny(everyone(0, 12_000), sets) - 8.2 / 12)).toBeLessThan(0.05);
    expect(Math.abs(shareInAny(known(0, 12_000), sets) - 8.2 / 12)).toBeLessThan(0.05);
  });

  it('do not judge a set that is known in part by fewer than 16 people', () => {
    const numbers = (count: number) => BigUint64Array.from({ length: count }, (_, at) => BigInt(at));
    const part = { hashes: numbers(100), isWhole: false };
    expect(shareInAny({ hashes: numbers(15), isWhole: true }, [part])).toBe(0);
    expect(shareInAny({ hashes: numbers(16), isWhole: true }, [part])).toBe(1);
    expect(shareInAny({ hashes: numbers(15), isWhole: true }, [{ ...part, isWhole: true }])).toBe(1);
    // Whoever is in a set that is known better is not added by one that is known less, whichever comes first.
    const whole = { hashes: numbers(200), isWhole: true };
    expect(shareInAny(whole, [part, whole])).toBe(1);
  });

  it('tell nothing without the key, and bear its seal', () => {
    const row = sketch(ids(0, 100));
    expect(sharedPeople(whole(peopleHashes(randomBytes(32), ids(0, 100))), sketchedPeople(row)).share).toBe(
      0,
    );
    expect(isSealedPeople(key, row)).toBe(true);
    expect(isSealedPeople(key, { ...row, sketch: sketch(ids(0, 99)).sketch })).toBe(false);
    expect(isSealedPeople(key, { ...row, account: 'b'.repeat(32) })).toBe(false);
  });
});
