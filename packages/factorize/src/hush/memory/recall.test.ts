import { SeededRandom } from '@hushrec/ratings/seeded-random';
import { describe, expect, it } from 'vitest';
import { recallCounts } from './recall-counts.js';
import { recallMoment } from './recall-sums.js';

const around = (values: Float64Array, noise: number, random: SeededRandom) =>
  values.map((value) => value + noise * random.normal());

describe('what is remembered', () => {
  it('of counts fits though most of it is forgotten, and does not where others are popular', () => {
    const counts = Float64Array.from({ length: 500 }, (_, item) => 400 / (1 + item / 20));
    const others = counts.slice().reverse();
    for (let seed = 0; seed < 20; seed++) {
      const random = new SeededRandom(seed);
      const isFitting = (then: Float64Array, kept: number) =>
        recallCounts(
          { value: around(counts, 40, random), noise: 40 },
          { values: around(then, 40, random), precisions: new Float64Array(500).fill(40 ** -2) },
          kept,
        ).isFitting;
      for (const kept of [1, 0.2, 0.05]) expect(isFitting(counts, kept), `${seed}, ${kept}`).toBe(true);
      expect(isFitting(others, 0.2), `${seed}, others`).toBe(false);
    }
  });

  it('of a moment follows the length of tastes, and gives way where directions changed', () => {
    const [width, noise, weight] = [12, 20, 1000];
    const moment = (of: (k: number) => number) =>
      Float64Array.from({ length: width ** 2 }, (_, at) =>
        at % (width + 1) === 0 ? 1000 * of(at % width) : 0,
      );
    const random = new SeededRandom(1);
    const before = around(
      moment(() => 1),
      noise,
      random,
    ).map((value) => value / weight);
    const then = { matrix: before, spreads: new Float64Array(width).fill(Math.sqrt(noise / weight)) };
    const recalled = (exact: Float64Array) => {
      const known = recallMoment(around(exact, noise, random), noise, width, weight, then, 0.9);
      let error = 0;
      for (let k = 0; k < width; k++)
        error += (known.matrix[k * (width + 1)] - exact[k * (width + 1)]) ** 2 / width;
      return { noise: known.noise, error: Math.sqrt(error) };
    };
    const longer = recalled(moment(() => 1.5));
    expect(longer.noise).toBeLessThan(0.9 * noise);
    expect(longer.error).toBeLessThan(1.5 * noise);
    const changed = recalled(moment((k) => (k % 2 === 0 ? 0.5 : 1.5)));
    expect(changed.noise).toBeGreaterThan(0.95 * noise);
    expect(changed.error).toBeLessThan(1.5 * noise);
  });
});
