import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReleasedValue, ReleaseRequest } from '@hushrec/privacy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answersFromLog, createReleaseLog, ReleaseLogError, readReleaseLog } from './release-log.js';

const at = { release: 'sums', occurrence: 0 } as const;
const made: readonly (readonly [ReleaseRequest, ReleasedValue])[] = [
  [
    {
      ...at,
      kind: 'numbers',
      part: 0,
      length: 3,
      gridStep: 2 ** -10,
      layout: { kind: 'symmetric', width: 2 },
    },
    { kind: 'numbers', values: Float64Array.of(1.5, -0, 2 ** 40) },
  ],
  [
    {
      ...at,
      kind: 'numbers',
      part: 4,
      length: 2,
      gridStep: 1,
      layout: { kind: 'vectors', sensitivities: Float64Array.of(1, 0.1) },
    },
    { kind: 'numbers', values: Float64Array.of(0.1, 0.2) },
  ],
  [
    { ...at, kind: 'bits', part: 1, length: 4 },
    { kind: 'bits', values: Uint8Array.of(1, 0, 0, 1) },
  ],
  [
    { ...at, kind: 'choice', part: 2, length: 9, gridStep: 1 },
    { kind: 'choice', index: 7 },
  ],
  [
    { ...at, kind: 'cells', part: 3, length: 9, gridStep: 1, threshold: 2, clampTo: 4 },
    { kind: 'cells', columns: Uint32Array.of(2, 8), values: Float64Array.of(3, -4) },
  ],
];

let folder: string;
let bytes: Uint8Array;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hushrec-log-'));
  const log = await createReleaseLog(join(folder, 'log'));
  for (const [request, value] of made) await log.write(request, value);
  await log.close();
  bytes = await readFile(join(folder, 'log'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a log of releases', () => {
  it('gives back every release to the bit', () => {
    expect([...readReleaseLog(bytes)].map(({ value }) => value)).toEqual(made.map(([, value]) => value));
  });

  it('answers requests in any order, each once', async () => {
    const answers = answersFromLog(bytes);
    for (const [request, value] of [...made].reverse()) expect(await answers.answer(request)).toEqual(value);
    expect(answers.leftOver()).toBe(0);
    await expect(answers.answer(made[0][0])).rejects.toThrow(/does not hold/);
  });

  it('names the place of damage, wherever it is cut', () => {
    for (let length = 0; length < bytes.length; length++) {
      const cut = bytes.subarray(0, length);
      try {
        const read = [...readReleaseLog(cut)];
        expect(read.length).toBeLessThan(made.length);
      } catch (error) {
        expect(error).toBeInstanceOf(ReleaseLogError);
      }
    }
  });
});
