import {
  evaluateModel,
  runSweep,
  type SweepCell,
  type SweepRow,
  type SweepSplit,
  sweepRows,
} from '@hushrec/evaluate';
import { type FeatureSource, type Holdout, splitHoldout } from '@hushrec/ratings';
import type { ReportSection } from '@hushrec/report';
import type { ExperimentContext } from '../experiment.js';
import { loadRealData } from '../real-data.js';
import { movieFeatures } from './movie-features.js';

/** The population whose noise-to-signal ratio ML-1M stands in for: that of ML-10M, on which the papers report. */
export const papersPeople = 69_878;

/** ML-1M, split 80/10/10, with public facts about its films. */
export interface Ml1m {
  readonly split: Holdout;
  readonly features: readonly FeatureSource[];
}

export async function loadMl1m(context: ExperimentContext): Promise<Ml1m> {
  const { ratings, itemIds } = await loadRealData(context, 'ml-1m');
  return {
    split: splitHoldout(ratings, { seed: context.seed }),
    features: [await movieFeatures(context, itemIds)],
  };
}

/** One method of a sweep: its settings besides the suggested ones, and how often it is run. */
export interface SweptMethod {
  readonly id: string;
  /** How it is called in the table; its id unless given. */
  readonly name?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly repeats: number;
  /** false leaves the public features out. */
  readonly features?: boolean;
}

export interface SweptRow extends SweepRow {
  readonly name: string;
  readonly slices: readonly number[];
}

/**
 * Test RMSE of methods at several ε, mean and spread over runs, on ML-1M: people's vectors from train + validation, item vectors from train. With
 * `asIfUsers` the noise is that of a larger population, a simulation that says nothing about this data's privacy.
 */
export async function sweepMl1m(
  context: ExperimentContext,
  { split, features }: Ml1m,
  methods: readonly SweptMethod[],
  epsilons: readonly number[],
  asIfUsers?: number,
): Promise<SweptRow[]> {
  const task: SweptTask = {
    identity: 'ml-1m',
    metric: 'rmse',
    split: {
      train: split.train,
      evaluate: (model, options) => evaluateModel(model, split, 'holdout', context.engine, options),
    },
    features,
  };
  return sweepTask(context, task, methods, epsilons, asIfUsers);
}

/** What is trained on, what is asked of every model, and which of its metrics is reported. */
export interface SweptTask {
  readonly identity: string;
  readonly metric: 'rmse' | 'recall@20';
  readonly split: SweepSplit;
  readonly features: readonly FeatureSource[];
}

/** Mean and spread of one metric for every method at every ε. */
async function sweepTask(
  context: ExperimentContext,
  { identity, metric, split, features }: SweptTask,
  methods: readonly SweptMethod[],
  epsilons: readonly number[],
  asIfUsers?: number,
): Promise<SweptRow[]> {
  const rows: SweptRow[] = [];
  for (const { id, name = id, settings = {}, repeats, features: useFeatures = true } of methods) {
    const cells = await runSweep({
      split,
      features: useFeatures ? features : [],
      methods: [{ id, settings }],
      epsilons,
      delta: 1e-5,
      repeats,
      seed: context.seed,
      engine: context.engine,
      declaredPeople: 6000,
      ...(asIfUsers !== undefined && { asIfUsers }),
      identity: `${identity}, split ${context.seed}`,
      store: context.store,
      progress: ({ done, total }) => context.progress(name, done, total),
      signal: context.signal,
    });
    rows.push(
      ...sweepRows(cells, [metric]).map((row) => ({ ...row, name, slices: sliceMeans(cells, row, metric) })),
    );
  }
  return rows;
}

function sliceMeans(cells: readonly SweepCell[], row: SweepRow, metric: string): number[] {
  const own = cells.filter(({ epsilon }) => epsilon === row.epsilon);
  const count = own[0]?.slices.length ?? 0;
  return Array.from({ length: count }, (_, slice) => {
    const values = own.map(({ slices }) => slices[slice]?.[metric] ?? Number.NaN).filter(Number.isFinite);
    return values.reduce((sum, value) => sum + value, 0) / values.length;
  });
}

/** The mean of one method at one ε. */
export function meanOf(rows: readonly SweptRow[], name: string, epsilon: number | null): number {
  const row = rows.find((each) => each.name === name && each.epsilon === epsilon);
  if (row === undefined) throw new RangeError(`There is no row of ${name} at ε = ${epsilon}.`);
  return row.mean;
}

/** A curve with spread, a table, and bars by popularity at every ε. */
export function sweepSections(
  heading: string,
  text: string,
  rows: readonly SweptRow[],
  metric: SweptTask['metric'] = 'rmse',
): ReportSection[] {
  const label = metric === 'rmse' ? 'RMSE' : 'Recall@20';
  const names = [...new Set(rows.map(({ name }) => name))];
  const isPrivate = rows.filter(({ epsilon }) => epsilon !== null);
  const references = rows
    .filter(({ epsilon }) => epsilon === null)
    .map(({ name, mean }) => ({ name, y: mean }));
  const sections: ReportSection[] = [
    {
      heading,
      text,
      chart: {
        kind: 'line',
        title: heading,
        x: { label: 'ε (user level, δ = 1e-5)', scale: 'log' },
        y: {
          label:
            metric === 'rmse'
              ? 'RMSE on held-out ratings (lower is better)'
              : 'Recall@20 of held-out people (higher is better)',
        },
        series: names
          .map((name) => ({
            name,
            points: isPrivate
              .filter((row) => row.name === name)
              .map(({ epsilon, mean, sd }) => ({ x: epsilon!, y: mean, low: mean - sd, high: mean + sd })),
          }))
          .filter(({ points }) => points.length > 0),
        ...(references.length > 0 && { references }),
      },
      table: {
        columns: [
          { label: 'method' },
          { label: 'ε' },
          { label },
          { label: 'sd' },
          { label: 'runs' },
          { label: 'seconds' },
        ],
        rows: rows.map(({ name, epsilon, mean, sd, runs, seconds }) => [
          name,
          epsilon,
          mean,
          sd,
          runs,
          seconds,
        ]),
      },
    },
  ];
  for (const each of new Set(isPrivate.map(({ epsilon }) => epsilon))) {
    const sliced = isPrivate.filter((row) => row.epsilon === each && row.slices.length > 0);
    if (sliced.length === 0) continue;
    sections.push({
      heading: `${heading}: by popularity of the item, ε = ${each}`,
      chart: {
        kind: 'bars',
        title: `${label} by popularity, ε = ${each}`,
        y: { label },
        categoryLabel: 'items by training count, rarest first',
        categories: sliced[0].slices.map((_, slice) => String(slice)),
        series: sliced.map(({ name, slices }) => ({
          name,
          values: slices.map((value) => (Number.isFinite(value) ? value : null)),
        })),
      },
    });
  }
  return sections;
}

export const simulationNote =
  'Unit: one person, add or remove; item vectors are released, people’s vectors stay with them. ε is the true one, exactly composed. All runs are seeded simulations, and settings were chosen on validation ratings without privacy. With the noise of 69,878 people the numbers show what a population of that size would give; they are no guarantee for this data.';
