import type { Finding } from '../experiment.js';

/** One measure of each variant, by seed: each entry is the mean over the ε of the table. */
export interface VariantRuns {
  readonly name: string;
  readonly bySeed: readonly number[];
}

export interface MeanWithError {
  readonly mean: number;
  /** Standard error of the mean, over seeds: what other noise would have changed. NaN for a single seed. */
  readonly error: number;
}

export function meanWithError(values: readonly number[]): MeanWithError {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, error: Math.sqrt(squares / (values.length - 1) / values.length) };
}

/** `up` and `down` are beyond two standard errors of the difference; a tie is within. Runs are paired by seed. */
export type Step = 'up' | 'tie' | 'down';

export function stepBetween(
  lower: readonly number[],
  upper: readonly number[],
): MeanWithError & { readonly step: Step } {
  const difference = meanWithError(upper.map((value, seed) => value - lower[seed]));
  // One seed has no error: nothing is beyond it.
  const beyond = Math.abs(difference.mean) > 2 * difference.error;
  return { ...difference, step: beyond ? (difference.mean > 0 ? 'up' : 'down') : 'tie' };
}

/** Mean and standard error of each variant, each step of the published order, and the order. A tie neither holds nor fails. */
export function orderFindings(variants: readonly VariantRuns[]): Finding[] {
  const steps = variants.slice(1).map((upper, at) => {
    const lower = variants[at];
    return { lower, upper, ...stepBetween(lower.bySeed, upper.bySeed) };
  });
  const verdict = { up: true, tie: null, down: false } as const;
  const ties = steps.filter(({ step }) => step === 'tie');
  return [
    ...variants.map(({ name, bySeed }): Finding => {
      const { mean, error } = meanWithError(bySeed);
      return {
        what: `${name}, mean over ε`,
        measured: mean,
        holds: null,
        note: `± ${shown(error)} (standard error over ${bySeed.length} seeds)`,
      };
    }),
    ...steps.map(
      ({ lower, upper, mean, error, step }): Finding => ({
        what: `${lower.name} < ${upper.name}, mean over ε`,
        measured: mean,
        holds: verdict[step],
        note: `difference ± ${shown(error)}: ${step === 'tie' ? 'within two standard errors, a tie' : 'beyond two standard errors'}`,
      }),
    ),
    {
      what: `${variants.map(({ name }) => name).join(' < ')}: steps beyond two standard errors`,
      measured: steps.filter(({ step }) => step === 'up').length,
      holds: steps.some(({ step }) => step === 'down') ? false : ties.length === 0 ? true : null,
      ...(ties.length > 0 && {
        note: `ties: ${ties.map(({ lower, upper }) => `${lower.name} and ${upper.name}`).join('; ')}`,
      }),
    },
  ];
}

const shown = (value: number) => value.toFixed(4);
