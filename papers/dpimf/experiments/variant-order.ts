import { type Average, averageOf, spreadOf, testOf, testText } from '../../harness/compare-rows.js';
import type { Finding } from '../../harness/experiment.js';

/** One measure of each variant, by seed: each entry is the mean over the ε of the table. */
export interface VariantRuns {
  readonly name: string;
  readonly bySeed: readonly number[];
}

/**
 * `up` and `down` are differences by the t test at 5 %, a tie is not. Runs are paired by seed.
 */
export type Step = 'up' | 'tie' | 'down';

export function stepBetween(
  lower: readonly number[],
  upper: readonly number[],
): Average & Pick<Finding, 'test'> & { readonly step: Step } {
  const difference = averageOf(upper.map((value, seed) => value - lower[seed]));
  const { holds, test } = testOf(difference.mean, spreadOf(difference));
  // One seed has no error: nothing can be told.
  const step = holds === true ? 'up' : holds === false ? 'down' : 'tie';
  return { ...difference, ...(test && { test }), step };
}

/** Mean and standard error of each variant, each step of the published order, and the order. */
export function orderFindings(variants: readonly VariantRuns[]): Finding[] {
  const steps = variants.slice(1).map((upper, at) => {
    const lower = variants[at];
    return { lower, upper, ...stepBetween(lower.bySeed, upper.bySeed) };
  });
  const verdict = { up: true, tie: 'tie', down: false } as const;
  const ties = steps.filter(({ step }) => step === 'tie');
  return [
    ...variants.map(({ name, bySeed }): Finding => {
      const { mean, error } = averageOf(bySeed);
      return {
        what: `${name}, mean over ε`,
        measured: mean,
        error,
        holds: null,
        note: `${bySeed.length} seeds`,
      };
    }),
    ...steps.map(
      ({ lower, upper, mean, error, test, step }): Finding => ({
        what: `${lower.name} < ${upper.name}, mean over ε`,
        measured: mean,
        error,
        ...(test && { test }),
        holds: test === undefined ? null : verdict[step],
        note: testText({ test }),
      }),
    ),
    {
      what: `${variants.map(({ name }) => name).join(' < ')}: steps that the t test tells`,
      measured: steps.filter(({ step }) => step === 'up').length,
      holds: steps.some(({ test }) => test === undefined)
        ? null
        : steps.some(({ step }) => step === 'down')
          ? false
          : ties.length === 0
            ? true
            : 'tie',
      ...(ties.length > 0 && {
        note: `ties: ${ties.map(({ lower, upper }) => `${lower.name} and ${upper.name}`).join('; ')}`,
      }),
    },
  ];
}
