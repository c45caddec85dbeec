import type { Experiment, Finding } from '../experiment.js';
import { type Contestant, type Measured, measureTask, simulations } from '../measure-task.js';
import { ml1mRatings, type Task } from '../tasks.js';
import { papersPeople } from '../user-level/holdout-sweep.js';

/** One piece switched off. What takes its place and has a setting of its own gets the best of several on validation. */
interface Variant {
  readonly name: string;
  readonly candidates: readonly Readonly<Record<string, unknown>>[];
  readonly features?: boolean;
}

const variants: readonly Variant[] = [
  { name: 'with film facts', candidates: [{}], features: true },
  {
    name: 'no item effects first',
    candidates: [0.25, 0.4, 0.8].map((vectorBound) => ({ itemEffects: false, vectorBound })),
  },
  {
    name: 'tastes and residuals clipped apart',
    candidates: [
      [0.4, 0.3],
      [0.4, 0.5],
      [0.8, 0.4],
      [0.8, 0.8],
    ].map(([vectorBound, residualBound]) => ({ clipping: 'separate', vectorBound, residualBound })),
  },
  {
    name: 'a fixed ridge',
    candidates: [2, 5, 10, 20, 50].map((itemRidge) => ({ itemShrinkage: 'ridge', itemRidge })),
  },
  {
    name: 'a moment per item (and a fixed ridge)',
    candidates: [5, 10, 20, 50].map((itemRidge) => ({ moment: 'per-item', itemRidge, momentShare: 0.15 })),
  },
  { name: 'equal rounds', candidates: [{ roundGrowth: 1 }] },
  { name: 'equal weights', candidates: [{ weightExponent: 0 }] },
  { name: 'no posterior spread', candidates: [{ posteriorSpread: false }] },
];

/** What each piece of `hush` brings: test RMSE on ML-1M with it switched off, against all on. */
export const ablation: Experiment = {
  id: 'hush/ablation',
  title: 'What each piece of hush brings: ML-1M ratings',
  paper: 'this project, docs/hush.md',
  needs: ['ml-1m', 'movie-features'],
  minutes: 45,
  async run(context) {
    const task = await ml1mRatings(context);
    const repeats = context.quick ? 5 : 10;
    const cells = (
      context.quick
        ? [
            [1, papersPeople],
            [1, undefined],
            [5, undefined],
          ]
        : [
            [1, papersPeople],
            [5, papersPeople],
            [20, papersPeople],
            [1, undefined],
            [5, undefined],
            [20, undefined],
          ]
    ) as readonly (readonly [number, number | undefined])[];
    const findings: Finding[] = [];
    const lines: (string | number)[][] = [];
    for (const [epsilon, asIfUsers] of cells) {
      const where = `ε = ${epsilon}${asIfUsers === undefined ? '' : `, as if ${asIfUsers} people`}`;
      const measure = async (contestant: Contestant) =>
        (await measureTask(context, task, contestant, [epsilon], repeats, asIfUsers))[0]!;
      const full = await measure({ id: 'hush' });
      lines.push([where, 'all of it', full.mean, full.error, 0, 0]);
      for (const variant of variants) {
        const settings = await bestOnValidation(context, task, variant, epsilon, asIfUsers);
        const row = await measure({
          id: 'hush',
          name: variant.name,
          settings,
          features: variant.features ?? false,
        });
        const error = Math.hypot(row.error, full.error);
        lines.push([where, variant.name, row.mean, row.error, row.mean - full.mean, error]);
        findings.push(finding(where, variant, row, full, error));
      }
    }
    return {
      findings,
      guarantee: simulations,
      sections: [
        {
          heading: 'Test RMSE with one piece switched off',
          text: `ML-1M, 80/10/10, mean over ${repeats} runs. A positive difference is what the piece brings.`,
          table: {
            columns: ['where', 'variant', 'RMSE', 'standard error', 'difference', 'its standard error'].map(
              (label) => ({ label }),
            ),
            rows: lines,
          },
        },
      ],
    };
  },
};

function finding(where: string, variant: Variant, row: Measured, full: Measured, error: number): Finding {
  const gain = variant.features ? full.mean - row.mean : row.mean - full.mean;
  return {
    what: `${where}: ${variant.features ? 'what film facts add' : `what is lost with ${variant.name}`}`,
    measured: gain,
    holds: gain > 2 * error,
    note: `RMSE ${row.mean.toFixed(4)} against ${full.mean.toFixed(4)}; standard error of the difference ${error.toFixed(4)}`,
  };
}

/** The candidate with the smallest validation error, one run each. */
async function bestOnValidation(
  context: Parameters<typeof measureTask>[0],
  task: Task,
  { candidates, features = false }: Variant,
  epsilon: number,
  asIfUsers?: number,
): Promise<Readonly<Record<string, unknown>>> {
  if (candidates.length === 1) return candidates[0]!;
  const onValidation: Task = {
    ...task,
    split: {
      train: task.split.train,
      evaluate: (model, options) => task.split.evaluate(model, { ...options, stage: 'validation' }),
    },
  };
  let best = candidates[0]!;
  let smallest = Infinity;
  for (const settings of candidates) {
    const [row] = await measureTask(
      { ...context, seed: context.seed + 1_000_000 },
      onValidation,
      { id: 'hush', settings, features },
      [epsilon],
      1,
      asIfUsers,
    );
    if (row!.mean < smallest) {
      smallest = row!.mean;
      best = settings;
    }
  }
  return best;
}
