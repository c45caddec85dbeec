import type { ItemModel } from '@hushrec/model';
import { calibrate, createRecorder } from '@hushrec/privacy';
import { LocalPeople, weightedCountSensitivity, weightedCounts } from '@hushrec/statistics';
import { signOf } from '../../harness/compare-rows.js';
import type { Experiment, ExperimentContext, Finding } from '../../harness/experiment.js';
import { type Measured, measureTask, rowOf, simulations } from '../../harness/measure-task.js';
import type { Task } from '../../harness/tasks.js';
import { comparedSets } from './sets.js';

const epsilons = [0.01, 0.05, 0.2, 0.5, 1, 2, 5, 10, 20, 50] as const;

/** Item effects alone, or popularity alone, with all of the budget. */
export const withoutVectors = {
  id: 'hush',
  name: 'hush without vectors',
  settings: { vectors: false },
} as const;

/** A figure and its standard error. */
export interface Figure {
  readonly name: string;
  readonly mean: number;
  readonly error: number;
}

/** What is free, or nearly: nobody needs a private model that is worse. And more budget must not hurt. */
export const floors: Experiment = {
  id: 'hush/floors',
  title: 'hush against what is simpler, from ε 0.01 to 50: own mean, item effects alone, private popularity',
  paper: 'this project, docs/hush.md',
  needs: [...new Set(comparedSets.flatMap(({ needs }) => needs ?? []))],
  minutes: 60,
  async run(context) {
    const repeats = context.quick ? 3 : 10;
    const findings: Finding[] = [];
    for (const set of comparedSets) {
      // A training on Gowalla takes as long as all others together.
      if (set.asIfPeople !== undefined || (context.quick && set.name === 'Gowalla')) continue;
      const task = await set.load(context);
      const rows = await measureTask(context, task, { id: 'hush' }, epsilons, repeats);
      const plain = await measureTask(context, task, withoutVectors, epsilons, repeats);
      for (const [at, epsilon] of epsilons.entries()) {
        findings.push(await againstSimpler(context, task, epsilon, repeats, rows, plain));
        const { mean, error } = rowOf(rows, 'hush', epsilon);
        const own: Figure = { name: 'hush', mean, error };
        const before = epsilons
          .slice(0, at)
          .map((less) => ({ ...rowOf(rows, 'hush', less), name: `ε = ${less}` }));
        if (before.length > 0) findings.push(against(task, epsilon, own, before, 'less budget'));
      }
    }
    return { findings, guarantee: simulations, sections: [] };
  },
};

/**
 * `hush` against the best of what is simpler. The first runs decide. Where they say no, four times as many
 * others say how far it is behind; they do not change the answer: to ask again where it is no, and only
 * there, would turn some into yes and none into no.
 *
 * @param rows of `hush` and of the same without vectors, at this ε among others
 */
export async function againstSimpler(
  context: ExperimentContext,
  task: Task,
  epsilon: number,
  repeats: number,
  rows: readonly Measured[],
  plain: readonly Measured[],
): Promise<Finding> {
  const answer = async (from: ExperimentContext, runs: number, own: Measured, alone: Measured) =>
    against(
      task,
      epsilon,
      { ...own, name: 'hush' },
      [await simpler(from, task, epsilon, runs), alone],
      'the best of what is simpler',
    );
  const first = await answer(
    context,
    repeats,
    rowOf(rows, 'hush', epsilon),
    rowOf(plain, withoutVectors.name, epsilon),
  );
  if (first.holds) return first;
  const others = { ...context, seed: context.seed + repeats };
  const [own] = await measureTask(others, task, { id: 'hush' }, [epsilon], 4 * repeats);
  const [alone] = await measureTask(others, task, withoutVectors, [epsilon], 4 * repeats);
  const second = await answer(others, 4 * repeats, own, alone);
  const more = `${second.measured.toFixed(4)} ${second.note}`;
  return { ...first, note: `${first.note}; by ${4 * repeats} other runs ${more}` };
}

/**
 * Ratings: a person's own mean, shrunk to the middle of the scale as if by three more ratings there. Choices:
 * counts with the whole budget.
 */
export async function simpler(
  context: ExperimentContext,
  task: Task,
  epsilon: number,
  repeats: number,
): Promise<Figure> {
  if (task.metric === 'rmse')
    return { name: 'own mean', mean: await figureOf(task, ownMean(task)), error: 0 };
  const values: number[] = [];
  for (let run = 0; run < repeats; run++)
    values.push(await figureOf(task, await privatePopularity(context, task, epsilon, context.seed + run)));
  const mean = values.reduce((sum, value) => sum + value, 0) / repeats;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { name: 'private popularity', mean, error: Math.sqrt(squares / Math.max(1, repeats - 1) / repeats) };
}

function ownMean({ split: { train } }: Task): ItemModel {
  return {
    kind: 'baseline',
    feedback: 'explicit',
    offset: (train.scale.min + train.scale.max) / 2,
    itemBias: new Float32Array(train.itemCount),
    userShrinkage: 3,
  };
}

async function privatePopularity(
  { engine }: ExperimentContext,
  { split }: Task,
  epsilon: number,
  seed: number,
): Promise<ItemModel> {
  const plan = calibrate(
    {
      unit: 'user',
      relation: 'add-remove',
      released: 'item counts',
      releases: [
        {
          name: 'item counts',
          mechanism: { kind: 'gaussian' },
          sensitivity: weightedCountSensitivity,
          count: 1,
          share: 1,
        },
      ],
    },
    { epsilon, delta: 1e-5 },
  );
  const { counts } = await new LocalPeople(split.train, engine).sum(weightedCounts, null);
  const open = createRecorder(plan, { seed }).begin('item counts');
  const released = await open.add(0, counts.statistic, counts.gridStep);
  open.close();
  return { kind: 'baseline', feedback: 'implicit', offset: 0, itemBias: Float32Array.from(released) };
}

async function figureOf(task: Task, model: ItemModel): Promise<number> {
  const { metrics } = await task.split.evaluate(model, { resamples: 0 });
  return metrics[task.metric].value;
}

/** Within two standard errors of the difference, or 0.3 %, of the best of others. */
export function against(
  { name, metric }: Task,
  epsilon: number,
  own: Figure,
  others: readonly Figure[],
  what: string,
): Finding {
  const sign = signOf(metric);
  const best = others.reduce((a, b) => (sign * (b.mean - a.mean) > 0 ? b : a));
  const behind = sign * (best.mean - own.mean);
  return {
    what: `${name}, ε = ${epsilon}: ${metric} against ${what}`,
    measured: own.mean,
    holds: behind <= Math.max(0.003 * best.mean, 2 * Math.hypot(own.error, best.error)),
    note: `± ${own.error.toFixed(4)}; ${best.name} ${best.mean.toFixed(4)} ± ${best.error.toFixed(4)}`,
  };
}
