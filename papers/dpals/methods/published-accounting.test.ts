import { describe, expect, it } from 'vitest';
import { epsilonOfPrintedNoise, publishedRuns, replayPublishedRun } from './published-accounting.js';

describe('the published settings, replayed', () => {
  // Noise found by the code's own accountant, then what it guarantees; values worked out independently
  // beforehand.
  it.each([
    [0, 82.651, 2.2, 3.11],
    [1, 24.041, 11.9, 19.7],
    [2, 9.0517, 54.5, 127],
  ])('run %i', (index, multiplier, truth, withMean) => {
    const run = replayPublishedRun(publishedRuns[index]);
    expect(run.noiseMultiplier / multiplier).toBeCloseTo(1, 4);
    expect(run.trueEpsilon / truth).toBeCloseTo(1, 2);
    expect(run.trueEpsilonWithMean / withMean).toBeCloseTo(1, 2);
    expect(run.chargedEpsilon).toBeLessThan(run.nominalEpsilon);
  });

  it.each([
    [0.5, 0.51],
    [1, 1.06],
    [5, 5.58],
    [10, 10.97],
    [20, 20.89],
  ])('the noise printed for ε = %f costs %f', (nominal, truth) => {
    expect(epsilonOfPrintedNoise(nominal, 1e-5)).toBeCloseTo(truth, 1);
  });
});
