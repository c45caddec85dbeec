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
    expect(sharedPeople(peopleHashes(key, ids(900, 1900)), row)).toBe(0.1);
    expect(sharedPeople(peopleHashes(key, ids(1000, 1010)), row)).toBe(0);
    expect(sharedPeople(peopleHashes(key, ids(0, 10)), row)).toBe(1);
  });

  // The hashes are random: of about 4,096 compared, a share of 0.2 is off by 0.05 with probability below
  // 1e-12.
  it('estimate large ones, and remember all that were added', () => {
    const row = sketch(ids(0, 15_000), ids(15_000, 30_000));
    expect(row.sketch.length).toBe(sketchSize * 8);
    expect(row).toEqual(sketch(ids(0, 30_000)));
    const share = sharedPeople(peopleHashes(key, ids(24_000, 54_000)), row);
    expect(Math.abs(share - 0.2)).toBeLessThan(0.05);
  });

  it('tell nothing without the key, and bear its seal', () => {
    const row = sketch(ids(0, 100));
    expect(sharedPeople(peopleHashes(randomBytes(32), ids(0, 100)), row)).toBe(0);
    expect(isSealedPeople(key, row)).toBe(true);
    expect(isSealedPeople(key, { ...row, sketch: sketch(ids(0, 99)).sketch })).toBe(false);
    expect(isSealedPeople(key, { ...row, account: 'b'.repeat(32) })).toBe(false);
  });
});
