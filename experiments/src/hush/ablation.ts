import type { ReportSection } from '@hushrec/report';
import type { Experiment, ExperimentContext, Finding } from '../experiment.js';
import { type Contestant, type Measured, measureTask, simulations } from '../measure-task.js';
import { ml1mLikes, ml1mRatings, type Task } from '../tasks.js';
import { papersPeople } from '../user-level/holdout-sweep.js';
import { onValidation } from './on-validation.js';

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
  { name: 'earlier rounds forgotten', candidates: [{ earlierRounds: false }] },
  { name: 'equal weights', candidates: [{ weightExponent: 0 }] },
  { name: 'no posterior spread', candidates: [{ posteriorSpread: false }] },
  {
    name: 'levels shrunk alike in training and in use',
    candidates: [3, 10, 20, 40].map((ridge) => ({ interceptRidge: ridge, foldInInterceptRidge: ridge })),
  },
];

/** What only choices have, or have by other means. */
const variantsOfChoices: readonly Variant[] = [
  { name: 'with film facts', candidates: [{}], features: true },
  { name: 'faint items weighed like others', candidates: [{ faintWeight: 1 }] },
  { name: 'those who chose an item like everybody', candidates: [{ chosenMean: false }] },
  { name: 'equal rounds', candidates: [{ roundGrowth: 1 }] },
];

type Cell = readonly [epsilon: number, asIfUsers?: number];

const firstCells: readonly Cell[] = [[1, papersPeople], [1], [5]];
const allCells: readonly Cell[] = [[1, papersPeople], [5, papersPeople], [20, papersPeople], [1], [5], [20]];

/** What each piece of `hush` brings: the test figure on ML-1M with it switched off, against all on. */
export const ablation: Experiment = {
  id: 'hush/ablation',
  title: 'What each piece of hush brings: ML-1M ratings and likes',
  paper: 'this project, docs/hush.md',
  needs: ['ml-1m', 'movie-features'],
  minutes: 40,
  async run(context) {
    const { quick } = context;
    const ratings = await switchOff(
      context,
      await ml1mRatings(context),
      variants,
      quick ? firstCells : allCells,
      quick ? 5 : 10,
    );
    const likes = await switchOff(
      context,
      await ml1mLikes(context),
      variantsOfChoices,
      quick ? [[5]] : [[1], [5], [20]],
      5,
    );
    return {
      findings: [...ratings.findings, ...likes.findings],
      guarantee: simulations,
      sections: [ratings.section, likes.section],
    };
  },
};

/** One task with every piece switched off in turn, in every cell. */
async function switchOff(
  context: ExperimentContext,
  task: Task,
  pieces: readonly Variant[],
  cells: readonly Cell[],
  repeats: number,
): Promise<{ readonly findings: readonly Finding[]; readonly section: ReportSection }> {
  const findings: Finding[] = [];
  const lines: (string | number)[][] = [];
  for (const [epsilon, asIfUsers] of cells) {
    const where = `${task.name}, ε = ${epsilon}${asIfUsers === undefined ? '' : `, as if ${asIfUsers} people`}`;
    const measure = async (contestant: Contestant) =>
      (await measureTask(context, task, contestant, [epsilon], repeats, asIfUsers))[0]!;
    const full = await measure({ id: 'hush' });
    lines.push([where, 'all of it', full.mean, full.error, 0, 0]);
    for (const variant of pieces) {
      const settings = await bestOnValidation(context, task, variant, epsilon, asIfUsers);
      const row = await measure({
        id: 'hush',
        name: variant.name,
        settings,
        features: variant.features ?? false,
      });
      const error = Math.hypot(row.error, full.error);
      lines.push([where, variant.name, row.mean, row.error, lossOf(task, row, full), error]);
      findings.push(finding(task, where, variant, row, full, error));
    }
  }
  return {
    findings,
    section: {
      heading: `${task.name}: test ${task.metric} with one piece switched off`,
      text: `Mean over ${repeats} runs. A positive loss is what the piece brings.`,
      table: {
        columns: ['where', 'variant', task.metric, 'standard error', 'loss', 'its standard error'].map(
          (label) => ({ label }),
        ),
        rows: lines,
      },
    },
  };
}

/** How much worse `row` is than `full`. */
function lossOf({ metric }: Task, row: Measured, full: Measured): number {
  return metric === 'rmse' ? row.mean - full.mean : full.mean - row.mean;
}

function finding(
  task: Task,
  where: string,
  variant: Variant,
  row: Measured,
  full: Measured,
  error: number,
): Finding {
  const loss = lossOf(task, row, full);
  const gain = variant.features ? -loss : loss;
  return {
    what: `${where}: ${variant.features ? 'what film facts add' : `what is lost with ${variant.name}`}`,
    measured: gain,
    holds: gain > 2 * error,
    note: `${task.metric} ${row.mean.toFixed(4)} against ${full.mean.toFixed(4)}; standard error of the difference ${error.toFixed(4)}`,
  };
}

/** The candidate with the smallest validation error, one run each. */
async function bestOnValidation(
  context: ExperimentContext,
  task: Task,
  { candidates, features = false }: Variant,
  epsilon: number,
  asIfUsers?: number,
): Promise<Readonly<Record<string, unknown>>> {
  let best = candidates[0]!;
  if (candidates.length === 1) return best;
  let least = Infinity;
  for (const settings of candidates) {
    const [row] = await measureTask(
      { ...context, seed: context.seed + 1_000_000 },
      onValidation(task),
      { id: 'hush', settings, features },
      [epsilon],
      1,
      asIfUsers,
    );
    const error = task.metric === 'rmse' ? row!.mean : -row!.mean;
    if (error < least) {
      least = error;
      best = settings;
    }
  }
  return best;
}
