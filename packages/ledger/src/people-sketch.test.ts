import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  isSealedPeople,
  type PeopleRow,
  peopleHashes,
  peopleWith,
  sharedPeople,
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

describe('sketches of people', () => {
  it('compare small sets exactly', () => {
    const row = sketch(ids(0, 1000));
    const shared = (from: number, to: number) => sharedPeople(peopleHashes(key, ids(from, to)), row);
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
    const { share, accountShare } = sharedPeople(peopleHashes(key, ids(24_000, 84_000)), row);
    expect(Math.abs(share - 0.1)).toBeLessThan(0.05);
    expect(Math.abs(accountShare - 0.2)).toBeLessThan(0.05);
  });

  it('tell nothing without the key, and bear its seal', () => {
    const row = sketch(ids(0, 100));
    expect(sharedPeople(peopleHashes(randomBytes(32), ids(0, 100)), row).share).toBe(0);
    expect(isSealedPeople(key, row)).toBe(true);
    expect(isSealedPeople(key, { ...row, sketch: sketch(ids(0, 99)).sketch })).toBe(false);
    expect(isSealedPeople(key, { ...row, account: 'b'.repeat(32) })).toBe(false);
  });
});
