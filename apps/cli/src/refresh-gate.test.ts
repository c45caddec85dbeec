import type { Usefulness } from '@hushrec/model/usefulness';
import { expect, it } from 'vitest';
import { whyHeldBack } from './refresh-gate.js';

const useful = (verdict: Usefulness['verdict'], low?: number, high: number | null = null): Usefulness => ({
  items: 100,
  itemsAboveNoise: 50,
  counts: { head: 0.1, tail: 0.2 },
  verdict,
  needed: low ?? 1,
  ...(low !== undefined && { neededRange: { low, high } }),
});

it('worth-it lets nothing else through, and nothing of which nothing is known', () => {
  expect(whyHeldBack('worth-it', useful('worth-it'), undefined)).toBeUndefined();
  for (const next of [useful('weak'), useful('too-noisy'), undefined])
    for (const live of [null, undefined, useful('too-noisy')])
      expect(whyHeldBack('worth-it', next, live)).toMatch(/verdict|how useful/);
});

it('not-worse compares verdicts, and within one the ranges of what is needed', () => {
  expect(whyHeldBack('not-worse', useful('weak'), null)).toBeUndefined();
  expect(whyHeldBack('not-worse', useful('weak'), useful('too-noisy'))).toBeUndefined();
  expect(whyHeldBack('not-worse', useful('too-noisy'), useful('weak'))).toContain(
    'its verdict is too-noisy, that of the live model weak',
  );
  expect(whyHeldBack('not-worse', useful('weak', 1.4, 2), useful('weak', 1.2, 1.6))).toBeUndefined();
  expect(whyHeldBack('not-worse', useful('weak', 1.8, 2), useful('weak', 1.2, 1.6))).toContain(
    'by more than chance',
  );
  expect(whyHeldBack('not-worse', useful('too-noisy', 9), useful('too-noisy', 5))).toBeUndefined();
  expect(whyHeldBack('not-worse', useful('weak'), undefined)).toContain('cannot be compared');
});
