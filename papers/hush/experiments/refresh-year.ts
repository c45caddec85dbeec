import { evaluateModel, once, readMetrics } from '@hushrec/evaluate';
import { keptAfter, type RecalledMemory, trainModel } from '@hushrec/factorize';
import type { ItemModel } from '@hushrec/model';
import { gaussianEpsilon, muFor } from '@hushrec/privacy';
import { likedItems, type RatingMatrix } from '@hushrec/ratings';
import type { ReportSection } from '@hushrec/report';
import {
  type Arrivals,
  madeUpArrivals,
  ratedBetween,
  withoutEmptyRows,
  yearDays,
} from '../../harness/arrivals.js';
import { type Average, averageOf } from '../../harness/compare-rows.js';
import type { Experiment, ExperimentContext, Finding } from '../../harness/experiment.js';
import { loadRealData } from '../../harness/real-data.js';

/** Budget of the whole year. */
const epsilon = 4;
const delta = 1e-6;
/** First training, and its part of μ²; the refreshes share the rest evenly. */
const firstDay = 20;
const firstShare = 0.1;
/** Figures are of what people like in the 30 days after these. */
const asked = [95, 155, 215, 275, 335];
const ahead = 30;
const metric = 'recall@20';

/** How often there is a new model. */
export const schedules = { daily: 1, weekly: 7, monthly: 30 } as const;
export type Schedule = keyof typeof schedules;

interface Year {
  readonly name: string;
  readonly arrivals: Arrivals;
  /** μ of the whole year. */
  readonly mu: number;
  readonly seed: number;
  readonly settings: Readonly<Record<string, unknown>>;
}

const isTrained = (user: number) => user % 5 !== 0;

/** Ratings of people who are trained on, as they are on a day. */
function snapshot({ arrivals }: Year, day: number): RatingMatrix {
  return withoutEmptyRows(ratedBetween(arrivals, 0, day, isTrained));
}

/** Recall@20 of what unseen people like in the 30 days after a day. */
async function figureOf(
  context: ExperimentContext,
  { arrivals }: Year,
  model: ItemModel,
  day: number,
): Promise<number> {
  const isUnseen = (user: number) => !isTrained(user);
  const history = ratedBetween(arrivals, 0, day, isUnseen);
  const target = ratedBetween(arrivals, day, day + ahead, isUnseen);
  const users = Uint32Array.from({ length: history.userCount }, (_, row) => row);
  const held = { users, history, target };
  const record = { protocol: 'strong-generalization', seed: 0 } as never;
  const split = { record, train: history, trainUsers: users, validation: held, test: held };
  const { metrics } = await evaluateModel(model, split, 'strong-generalization', context.engine, {
    metrics: readMetrics(metric),
    resamples: 0,
  });
  return metrics[metric].value;
}

async function train(
  context: ExperimentContext,
  year: Year,
  day: number,
  mu: number,
  before?: RecalledMemory | 'none',
) {
  return trainModel({
    method: 'hush',
    settings: { feedback: 'implicit', ...year.settings },
    ratings: snapshot(year, day),
    engine: context.engine,
    epsilon: gaussianEpsilon(mu, delta),
    delta,
    // A seed of its own for each day.
    seed: year.seed * 1000 + Math.floor(day),
    hooks: { signal: context.signal },
    ...(before !== 'none' && { remember: before === undefined ? {} : { before } }),
  });
}

/** Figures of the days that are asked for, of models that are as old as half a period. */
export async function fromNothing(context: ExperimentContext, year: Year, period: number): Promise<number> {
  const runs = Math.ceil((yearDays - firstDay) / period) + 1;
  const values: number[] = [];
  for (const day of asked) {
    const { model } = await train(context, year, day - period / 2, year.mu / Math.sqrt(runs), 'none');
    values.push(await figureOf(context, year, model, day));
  }
  return averageOf(values).mean;
}

/** The same of a chain of refreshes, each of which remembers what those before released. */
export async function withMemory(context: ExperimentContext, year: Year, period: number): Promise<number> {
  const refreshes = Math.ceil((yearDays - firstDay) / period);
  const each = year.mu * Math.sqrt((1 - firstShare) / refreshes);
  const values: number[] = [];
  let { model, memory } = await train(context, year, firstDay, year.mu * Math.sqrt(firstShare));
  const days = [...asked];
  for (let refresh = 1; refresh <= refreshes && days.length > 0; refresh++) {
    const day = firstDay + refresh * period;
    // The one that is half a period old, or the next older one.
    while (days.length > 0 && days[0] - period / 2 < day)
      values.push(await figureOf(context, year, model, days.shift()!));
    context.progress(`${year.name}, every ${period} days`, refresh, refreshes);
    const before = { ...memory!.after, kept: keptAfter(period) };
    ({ model, memory } = await train(context, year, day, each, before));
  }
  for (const day of days) values.push(await figureOf(context, year, model, day));
  return averageOf(values).mean;
}

/** The whole budget on the day itself: no schedule can reach it. */
export async function onTheDay(context: ExperimentContext, year: Year): Promise<number> {
  const values: number[] = [];
  for (const day of asked) {
    const { model } = await train(context, year, day, year.mu, 'none');
    values.push(await figureOf(context, year, model, day));
  }
  return averageOf(values).mean;
}

/** What most people chose, counted without noise. */
export async function popularity(context: ExperimentContext, year: Year): Promise<number> {
  const values: number[] = [];
  for (const day of asked) {
    const { model } = await trainModel({
      method: 'popularity',
      ratings: snapshot(year, day),
      engine: context.engine,
      epsilon: Infinity,
      delta: 0,
    });
    values.push(await figureOf(context, year, model, day));
  }
  return averageOf(values).mean;
}

interface Row {
  readonly name: string;
  readonly popularity: Average;
  readonly once: Average;
  readonly bySchedule: Readonly<
    Partial<Record<Schedule, { readonly nothing: number[]; readonly memory: number[] }>>
  >;
}

const meanOf = (values: readonly number[]) => averageOf(values).mean;

/** One size: the noise of so many times as many people. */
async function measured(
  context: ExperimentContext,
  times: number,
  seedsOf: Readonly<Record<Schedule, number>>,
): Promise<Row> {
  const data = await loadRealData(context, 'ml-1m');
  const likes = likedItems(data.ratings, 4);
  const name = `ML-1M likes, × ${times}`;
  const yearOf = (run: number): Year => ({
    name,
    arrivals: madeUpArrivals(likes, context.seed + run),
    mu: times * muFor(epsilon, delta),
    seed: context.seed + run,
    settings: {},
  });
  const key = (what: string, run: number) => ({
    experiment: 'refresh/year 1',
    name,
    what,
    seed: context.seed + run,
  });
  const runs = async (what: string, count: number, run: (year: Year) => Promise<number>) => {
    const values: number[] = [];
    for (let at = 0; at < count; at++) {
      context.progress(`${name}: ${what}`, at, count);
      values.push(await once(context.store, key(what, at), () => run(yearOf(at))));
    }
    return values;
  };
  const most = Math.max(...Object.values(seedsOf));
  const filled: Partial<Record<Schedule, { nothing: number[]; memory: number[] }>> = {};
  for (const schedule of Object.keys(schedules) as Schedule[]) {
    const count = seedsOf[schedule];
    if (count === 0) continue;
    filled[schedule] = {
      nothing: await runs(`${schedule}, from nothing`, count, (year) =>
        fromNothing(context, year, schedules[schedule]),
      ),
      memory: await runs(`${schedule}, memory`, count, (year) =>
        withMemory(context, year, schedules[schedule]),
      ),
    };
  }
  return {
    name,
    popularity: averageOf(await runs('popularity', most, (year) => popularity(context, year))),
    once: averageOf(await runs('once', most, (year) => onTheDay(context, year))),
    bySchedule: filled,
  };
}

function findingsOf({ name, popularity, once: best, bySchedule }: Row): Finding[] {
  return Object.entries(bySchedule).flatMap(([schedule, { nothing, memory }]) => {
    const gain = averageOf(memory.map((value, run) => value - nothing[run]));
    const isBelow = meanOf(nothing) < 0.95 * best.mean;
    const wayBy = (values: readonly number[]) =>
      (meanOf(values) - popularity.mean) / (best.mean - popularity.mean);
    return [
      {
        what: `${name}, ${schedule}: with memory less from nothing (${meanOf(memory).toFixed(4)}, ${meanOf(nothing).toFixed(4)}; once ${best.mean.toFixed(4)}, popularity ${popularity.mean.toFixed(4)})`,
        measured: gain.mean,
        error: gain.error,
        holds: memory.length < 2 ? null : isBelow ? gain.mean > 2 * gain.error : gain.mean > -2 * gain.error,
        note: `of the way from popularity to once: ${(100 * wayBy(memory)).toFixed(0)} % with memory, ${(100 * wayBy(nothing)).toFixed(0)} % from nothing`,
      },
    ];
  });
}

function sectionOf(rows: readonly Row[]): ReportSection {
  const text = (values: readonly number[] | undefined) =>
    values === undefined ? '' : `${meanOf(values).toFixed(4)} ± ${averageOf(values).error.toFixed(4)}`;
  const names = Object.keys(schedules) as Schedule[];
  return {
    heading: 'Recall@20 of what unseen people like in the next 30 days',
    table: {
      columns: [
        'noise as of',
        'popularity',
        'once',
        ...names.flatMap((each) => [`${each}, from nothing`, `${each}, memory`]),
      ],
      rows: rows.map(({ name, popularity, once: best, bySchedule }) => [
        name,
        popularity.mean.toFixed(4),
        best.mean.toFixed(4),
        ...names.flatMap((each) => [text(bySchedule[each]?.nothing), text(bySchedule[each]?.memory)]),
      ]),
    },
  };
}

/**
 * A year of refreshes within one ε: those that remember what earlier ones released against trainings from
 * nothing. Likes of ML-1M have no year: arrivals are made up.
 */
export const refreshYear: Experiment = {
  id: 'refresh/year',
  title:
    'A year of refreshes within ε = 4: with memory and from nothing (arrivals made up on likes of ML-1M)',
  paper: 'this project, docs/hush.md',
  needs: ['ml-1m'],
  minutes: 600,
  quickMinutes: 40,
  async run(context) {
    const sizes = context.quick ? [1, 3] : [1, 3, 10];
    const seeds = context.quick ? { daily: 0, weekly: 2, monthly: 2 } : { daily: 3, weekly: 10, monthly: 10 };
    const rows: Row[] = [];
    for (const times of sizes) {
      rows.push(await measured(context, times, seeds));
      for (const finding of findingsOf(rows.at(-1)!)) context.found?.(finding);
    }
    return {
      findings: rows.flatMap(findingsOf),
      guarantee:
        'Every run is μ-GDP, and a chain of runs √(Σμ²)-GDP: (4, 10⁻⁶) for the year, for each column. × k multiplies μ by k, which is the noise of k times as many people and says nothing about the privacy of this data.',
      sections: [sectionOf(rows)],
    };
  },
};
