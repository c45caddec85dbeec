import { averageOf } from '../../harness/compare-rows.js';
import type { Experiment, Finding } from '../../harness/experiment.js';
import { loadRealData } from '../../harness/real-data.js';
import { baselineErrors } from './baseline-errors.js';
import { FoldRunner } from './fold-runner.js';
import { type FriedmanData, largeSets, paper, published, smallSets } from './paper-settings.js';

const tolerance = 0.004;

/** Table 3: RMSE without privacy, ten-fold. */
const baselineTable = (
  id: string,
  sets: readonly FriedmanData[],
  minutes: number,
  quickMinutes: number,
): Experiment => ({
  id,
  title: `Baselines without privacy: ${sets.join(', ')}`,
  paper: `${paper}, Table 3`,
  needs: sets,
  minutes,
  quickMinutes,
  async run(context) {
    const findings: Finding[] = [];
    const names = context.quick ? sets.slice(0, 1) : sets;
    for (const [at, name] of names.entries()) {
      context.progress(name, at, names.length);
      const runner = new FoldRunner(name, await loadRealData(context, name), context);
      try {
        findings.push(...(await baselinesOf(runner, name)));
      } finally {
        await runner.close();
      }
    }
    return {
      findings,
      guarantee:
        'No method here is private. β_m = 20 and β_u = 80 are ours: the paper does not give them, and these reproduce its baselines.',
      sections: [
        {
          heading: 'RMSE without privacy, ten-fold cross-validation',
          table: {
            columns: ['baseline', 'published', 'measured'],
            rows: findings.map(({ what, published: target, measured }) => [what, target ?? null, measured]),
          },
        },
      ],
    };
  },
});

async function baselinesOf(runner: FoldRunner, name: FriedmanData): Promise<Finding[]> {
  const { rank, ridge, globalAverage, itemAverage, globalEffects, cleanFactorization } = published[name];
  const folds = Array.from({ length: runner.folds }, (_, fold) => fold);
  const { item, effects } = await baselineErrors(runner, folds);
  const errorsOf = async (method: string, settings: Readonly<Record<string, number | boolean>>) => {
    const all = await runner.errors({ method, settings, epsilon: Infinity, folds, runs: 1 });
    return all.map(({ rmse }) => rmse);
  };
  // Their clean factorization: weighted-λ ALS on the raw ratings, without averages.
  const clean = await errorsOf('als', { rank, ridge, ridgeExponent: 1, rounds: 10, biases: false });
  const global = await errorsOf('global-average', {});
  const found = (what: string, target: number, byFold: readonly number[]): Finding => {
    const { mean: measured, error } = averageOf(byFold);
    const holds = Math.abs(measured - target) <= tolerance;
    return { what: `${name}: ${what}`, published: target, measured, error, tolerance, holds };
  };
  return [
    found('global average', globalAverage, global),
    found('item average', itemAverage, item),
    found('global effects', globalEffects, effects),
    found('alternating least squares', cleanFactorization, clean),
  ];
}

export const table3 = baselineTable('friedman/table3', smallSets, 2, 0.6);
export const table3Large = baselineTable('friedman/table3-large', largeSets, 240, 30);
