import { describe, expect, it } from 'vitest';
import { binomialTail, upperRate } from './binomial.js';
import { epsilonLowerBound, muLowerBound } from './many-run-bound.js';
import { oneRunLowerBound } from './one-run-bound.js';

/** Lower end of the interval: 1 − the upper end for the failures. */
const lowerRate = (successes: number, trials: number, alpha: number) =>
  1 - upperRate(trials - successes, trials, alpha);

describe('binomial tails', () => {
  it('agree with the sum of all masses, computed in exact integers', () => {
    // Pr[B ≥ k] for p = 3/10 is Σ C(n, i)·3^i·7^(n−i) / 10^n.
    for (const n of [1, 7, 60]) {
      let sum = 0n;
      let choose = 1n;
      for (let k = n; k >= 0; k--) {
        sum += choose * 3n ** BigInt(k) * 7n ** BigInt(n - k);
        choose = (choose * BigInt(k)) / BigInt(n - k + 1);
        const exact = Number((sum * 10n ** 40n) / 10n ** BigInt(n)) / 1e40;
        expect(binomialTail(n, k, 0.3)).toBeCloseTo(exact, 12);
        if (exact > 1e-30) expect(binomialTail(n, k, 0.3) / exact).toBeCloseTo(1, 10);
      }
    }
  });

  it('give Clopper–Pearson ends with the closed forms at 0 and at all', () => {
    expect(upperRate(0, 1000, 0.025)).toBeCloseTo(1 - 0.025 ** (1 / 1000), 12);
    expect(lowerRate(1000, 1000, 0.025)).toBeCloseTo(0.025 ** (1 / 1000), 12);
    expect(upperRate(5, 5, 0.01)).toBe(1);
    // Two-sided 95% for 5 of 1000, by any table: (0.00162, 0.01163).
    expect(lowerRate(5, 1000, 0.025)).toBeCloseTo(0.0016256, 6);
    expect(upperRate(5, 1000, 0.025)).toBeCloseTo(0.0116305, 5);
  });

  it('cover: the end is where the tail has exactly the stated probability', () => {
    for (const [successes, trials, alpha] of [
      [3, 50, 1e-6],
      [250, 1000, 0.005],
      [4900, 5000, 5e-7],
    ] as const) {
      const p = upperRate(successes, trials, alpha);
      expect((1 - binomialTail(trials, successes + 1, p)) / alpha).toBeCloseTo(1, 5);
    }
  });
});

describe('the many-run bound', () => {
  const counts = (truePositives: number, falsePositives: number) => ({
    truePositives,
    positives: 1000,
    falsePositives,
    negatives: 1000,
  });

  it.each([
    [500, 5, 3.6961],
    [1000, 0, 5.6006],
    [200, 0, 3.8648],
  ])('gives the reference values: %i and %i of 1000', (truePositives, falsePositives, expected) => {
    // Reference values take ln(TPR⁻/FPR⁺) alone at δ = 0; the other direction must not exceed it here.
    expect(epsilonLowerBound(counts(truePositives, falsePositives), 0, 0.95)).toBeCloseTo(expected, 4);
  });

  it('sees both directions', () => {
    const mirrored = { truePositives: 995, positives: 1000, falsePositives: 500, negatives: 1000 };
    expect(epsilonLowerBound(mirrored, 0, 0.95)).toBeCloseTo(3.6961, 4);
  });

  it('shows nothing from guessing, and less with δ', () => {
    expect(epsilonLowerBound(counts(500, 500), 0, 0.95)).toBe(0);
    expect(muLowerBound(counts(500, 500), 0.95)).toBe(0);
    expect(epsilonLowerBound(counts(500, 5), 0.1, 0.95)).toBeLessThan(3.6961);
    expect(epsilonLowerBound(counts(0, 1000), 0.5, 0.95)).toBe(0);
  });

  it('gives about 0.9 μ for μ = 1 and 4000 runs an arm at 99%', () => {
    // FPR = FNR = Φ(−½) = 0.3085 is what the best test of a μ = 1 mechanism shows on average.
    const errors = Math.round(4000 * 0.308538);
    const seen = { truePositives: 4000 - errors, positives: 4000, falsePositives: errors, negatives: 4000 };
    const bound = muLowerBound(seen, 0.99);
    expect(bound).toBeGreaterThan(0.88);
    expect(bound).toBeLessThan(1);
  });
});

describe('the one-run bound', () => {
  it.each([
    [1000, 1000, 1000, 0, 5.8091],
    [1000, 1000, 1000, 1e-5, 5.7823],
    [1000, 100, 95, 1e-5, 2.1652],
    [1000, 200, 150, 1e-5, 0.82],
    [10000, 1000, 900, 1e-5, 2.0152],
    [1000, 1000, 600, 1e-5, 0.2972],
    [100, 100, 80, 1e-5, 0.9581],
  ])(
    'gives the reference values: %i canaries, %i guesses, %i right, δ = %f',
    (canaries, guesses, correct, delta, expected) => {
      expect(oneRunLowerBound({ canaries, guesses, correct }, delta, 0.95)).toBeCloseTo(expected, 3);
    },
  );

  it('shows nothing from guessing', () => {
    expect(oneRunLowerBound({ canaries: 1000, guesses: 1000, correct: 510 }, 1e-5, 0.95)).toBe(0);
  });
});
