import { evaluateModel, once, readMetrics } from '@hushrec/evaluate';
import { keptAfter, type MethodMemory, type RecalledMemory, trainModel } from '@hushrec/factorize';
import type { ItemModel } from '@hushrec/model';
import { gaussianEpsilon, muFor } from '@hushrec/privacy';
import { likedItems, type RatingMatrix } from '@hushrec/ratings';
import type { ReportSection } from '@hushrec/report';
import {
  type Arrivals,
  madeUpArrivals,
  ratedBetween,
  realArrivals,
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
/** Figures are of what people like in the 30 days after these days of a year. */
const askedInYear = [95, 155, 215, 275, 335];
const ahead = 30;
/** Few people of ML-100K come back at all (some 15 of a fifth in 30 days), so it is asked more often. */
const askedOfReal = Array.from({ length: 15 }, (_, at) => 45 + 10 * at);

/** How often there is a new model. */
export const schedules = { daily: 1, weekly: 7, monthly: 30 } as const;
export type Schedule = keyof typeof schedules;

interface Year {
  readonly name: string;
  readonly arrivals: Arrivals;
  /** What people like next, by recall@20, or how they rate it, by RMSE. */
  readonly goal: 'likes' | 'stars';
  /** Its length, and the days after which figures are taken. */
  readonly days: number;
  readonly asked: readonly number[];
  /** μ of the whole year. */
  readonly mu: number;
  readonly seed: number;
}

/** A fifth of the people is not trained on: another one with the next seed. */
const isTrained = (year: Year) => (user: number) => user % 5 !== year.seed % 5;

/** Ratings of people who are trained on, as they are on a day. */
function snapshot(year: Year, day: number): RatingMatrix {
  return withoutEmptyRows(ratedBetween(year.arrivals, 0, day, isTrained(year)));
}

/** Day of the refresh whose model is at least half a period old on a day that is asked for. */
function refreshFor(day: number, period: number): number {
  return firstDay + period * Math.floor((day - period / 2 - firstDay) / period);
}

/**
 * Recall@20 of what unseen people like in the 30 days after a day, or RMSE of what they rate: those who were
 * there before. Who comes anew gets what is popular, whatever the schedule.
 */
async function figureOf(
  context: ExperimentContext,
  year: Year,
  model: ItemModel,
  day: number,
): Promise<number> {
  const { arrivals, goal } = year;
  const { offsets } = arrivals.ratings.byUser;
  const wasThere = (user: number) =>
    arrivals.days.subarray(offsets[user], offsets[user + 1]).some((each) => each < day);
  const isOfTraining = isTrained(year);
  const isUnseen = (user: number) => !isOfTraining(user) && wasThere(user);
  const history = ratedBetween(arrivals, 0, day, isUnseen);
  const target = ratedBetween(arrivals, day, day + ahead, isUnseen);
  if (goal === 'stars') {
    const parts = { train: history, test: target };
    const options = { metrics: readMetrics('rmse'), resamples: 0 };
    const { metrics } = await evaluateModel(model, parts, 'k-fold', context.engine, options);
    return metrics['rmse'].value;
  }
  const metric = 'recall@20';
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
    settings: { feedback: year.goal === 'likes' ? 'implicit' : 'explicit' },
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

/** Figures of the days that are asked for, of models trained on the days of refreshes. */
export async function fromNothing(context: ExperimentContext, year: Year, period: number): Promise<number> {
  const runs = Math.ceil((year.days - firstDay) / period) + 1;
  const values: number[] = [];
  for (const day of year.asked) {
    const { model } = await train(context, year, refreshFor(day, period), year.mu / Math.sqrt(runs), 'none');
    values.push(await figureOf(context, year, model, day));
  }
  return averageOf(values).mean;
}

/** The same of a chain of refreshes, each of which remembers what those before released. */
export async function withMemory(context: ExperimentContext, year: Year, period: number): Promise<number> {
  const refreshes = Math.ceil((year.days - firstDay) / period);
  const each = year.mu * Math.sqrt((1 - firstShare) / refreshes);
  const values: number[] = [];
  const last = refreshFor(year.asked.at(-1)!, period);
  let left: MethodMemory | undefined;
  for (let day = firstDay; day <= last; day += period) {
    context.progress(`${year.name}, every ${period} days`, day, last);
    const { model, memory } =
      left === undefined
        ? await train(context, year, day, year.mu * Math.sqrt(firstShare))
        : await train(context, year, day, each, { ...left, kept: keptAfter(period) });
    left = memory!.after;
    for (const asked of year.asked)
      if (refreshFor(asked, period) === day) values.push(await figureOf(context, year, model, asked));
  }
  return averageOf(values).mean;
}

/** The whole budget on the day itself: no schedule can reach it. */
export async function onTheDay(context: ExperimentContext, year: Year): Promise<number> {
  const values: number[] = [];
  for (const day of year.asked) {
    const { model } = await train(context, year, day, year.mu, 'none');
    values.push(await figureOf(context, year, model, day));
  }
  return averageOf(values).mean;
}

/** What most people chose, or the mean of each item, without noise. */
export async function popularity(context: ExperimentContext, year: Year): Promise<number> {
  const values: number[] = [];
  for (const day of year.asked) {
    const { model } = await trainModel({
      method: year.goal === 'likes' ? 'popularity' : 'item-average',
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
  readonly goal: Year['goal'];
  /** The bar stands for the sizes of ML-1M; other data is reported. */
  readonly isReported: boolean;
  readonly popularity: Average;
  readonly once: Average;
  readonly bySchedule: Readonly<
    Partial<Record<Schedule, { readonly nothing: number[]; readonly memory: number[] }>>
  >;
}

const meanOf = (values: readonly number[]) => averageOf(values).mean;

type YearOf = (seed: number) => Pick<Year, 'arrivals' | 'goal' | 'days' | 'asked'>;

/** One data set at one size: the noise of so many times as many people. */
async function measured(
  context: ExperimentContext,
  { data, times, of }: { readonly data: string; readonly times: number; readonly of: YearOf },
  seedsOf: Readonly<Record<Schedule, number>>,
): Promise<Row> {
  const name = `${data}, × ${times}`;
  const yearOf = (run: number): Year => {
    const seed = context.seed + run;
    return { name, mu: times * muFor(epsilon, delta), seed, ...of(seed) };
  };
  const key = (what: string, run: number) => ({
    experiment: 'refresh/year 3',
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
    goal: yearOf(0).goal,
    isReported: data !== likesOfMl1m,
    popularity: averageOf(await runs('popularity', most, (year) => popularity(context, year))),
    once: averageOf(await runs('once', most, (year) => onTheDay(context, year))),
    bySchedule: filled,
  };
}

const likesOfMl1m = 'ML-1M likes';

/** The data sets, each with its sizes and seeds. */
async function yearsOf(context: ExperimentContext) {
  const ml1m = (await loadRealData(context, 'ml-1m')).ratings;
  const gowalla = (await loadRealData(context, 'gowalla')).ratings;
  const ml100k = (await loadRealData(context, 'ml-100k')).ratings;
  const likes = likedItems(ml1m, 4);
  const madeUp = (ratings: RatingMatrix, goal: Year['goal']): YearOf => {
    return (seed) => ({
      ...{ arrivals: madeUpArrivals(ratings, seed), goal, days: yearDays, asked: askedInYear },
    });
  };
  // Its own 215 days, less the 30 that the last figure looks ahead.
  const real = realArrivals(likedItems(ml100k, 4));
  const seeds = (daily: number, weekly: number, monthly: number) => ({ daily, weekly, monthly });
  const usual = context.quick ? seeds(0, 2, 2) : seeds(3, 10, 10);
  return [
    ...(context.quick ? [1, 3] : [1, 3, 10]).map((times) => ({
      year: { data: likesOfMl1m, times, of: madeUp(likes, 'likes') },
      seeds: usual,
    })),
    ...(context.quick
      ? []
      : [
          { year: { data: 'ML-1M ratings', times: 3, of: madeUp(ml1m, 'stars') }, seeds: seeds(0, 3, 3) },
          ...[3, 10].map((times) => ({
            year: { data: 'Gowalla', times, of: madeUp(gowalla, 'likes') },
            seeds: seeds(0, 3, 0),
          })),
          {
            year: {
              data: 'ML-100K likes at their real times',
              times: 30,
              of: () => ({ arrivals: real, goal: 'likes', days: 185, asked: askedOfReal }) as const,
            },
            seeds: seeds(0, 10, 10),
          },
        ]),
  ];
}

/** Processor time of a refresh that remembers over that of a training of the same day and budget. */
async function costOfRefresh(context: ExperimentContext): Promise<Finding> {
  const { ratings } = await loadRealData(context, 'ml-1m');
  const seed = context.seed;
  const year: Year = {
    ...{ name: likesOfMl1m, arrivals: madeUpArrivals(likedItems(ratings, 4), seed), goal: 'likes' },
    ...{ days: yearDays, asked: askedInYear, mu: 3 * muFor(epsilon, delta), seed },
  };
  const seconds = async (before: RecalledMemory | 'none') => {
    const start = process.cpuUsage();
    await train(context, year, 215, year.mu / 7, before);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1e6;
  };
  const { memory } = await train(context, year, 208, year.mu / 7);
  const before = { ...memory!.after, kept: keptAfter(7) };
  const ratios: number[] = [];
  for (let run = 0; run < 7; run++) ratios.push((await seconds(before)) / (await seconds('none')));
  const { mean, error } = averageOf(ratios.slice(2));
  return {
    what: `${likesOfMl1m}: processor time of a refresh that remembers over that of a training from nothing`,
    measured: mean,
    error,
    holds: mean <= 1 + 2 * error,
  };
}

function findingsOf({ name, goal, isReported, popularity, once: best, bySchedule }: Row): Finding[] {
  return Object.entries(bySchedule).flatMap(([schedule, { nothing, memory }]) => {
    // Less error is more.
    const sign = goal === 'likes' ? 1 : -1;
    const gain = averageOf(memory.map((value, run) => sign * (value - nothing[run])));
    // Of monthly models it is asked that they are not worse.
    const isToBeBetter = schedule !== 'monthly' && meanOf(nothing) < 0.95 * best.mean;
    const wayBy = (values: readonly number[]) =>
      (meanOf(values) - popularity.mean) / (best.mean - popularity.mean);
    return [
      {
        what: `${name}, ${schedule}: with memory ${goal === 'likes' ? 'less from nothing' : 'below from nothing'} (${meanOf(memory).toFixed(4)}, ${meanOf(nothing).toFixed(4)}; once ${best.mean.toFixed(4)}, popularity ${popularity.mean.toFixed(4)})`,
        measured: gain.mean,
        error: gain.error,
        holds:
          isReported || memory.length < 2
            ? null
            : isToBeBetter
              ? gain.mean > 2 * gain.error
              : gain.mean > -2 * gain.error,
        note: `of the way from popularity to once: ${(100 * wayBy(memory)).toFixed(0)}% with memory, ${(100 * wayBy(nothing)).toFixed(0)}% from nothing`,
      },
    ];
  });
}

function sectionOf(rows: readonly Row[]): ReportSection {
  const text = (values: readonly number[] | undefined) =>
    values === undefined ? '' : `${meanOf(values).toFixed(4)} ± ${averageOf(values).error.toFixed(4)}`;
  const names = Object.keys(schedules) as Schedule[];
  return {
    heading:
      'Recall@20 of what unseen people like in the next 30 days (ratings: RMSE of what they rate; popularity: mean of each item)',
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
  needs: ['ml-1m', 'gowalla', 'ml-100k'],
  minutes: 20,
  quickMinutes: 1,
  async run(context) {
    const rows: Row[] = [];
    for (const { year, seeds } of await yearsOf(context)) {
      rows.push(await measured(context, year, seeds));
      for (const finding of findingsOf(rows.at(-1)!)) context.found?.(finding);
    }
    const cost = await costOfRefresh(context);
    context.found?.(cost);
    return {
      findings: [...rows.flatMap(findingsOf), cost],
      guarantee:
        'Every run is μ-GDP, and a chain of runs √(Σμ²)-GDP: (4, 10⁻⁶) for the year, for each column. × k multiplies μ by k, which is the noise of k times as many people and says nothing about the privacy of this data.',
      sections: [sectionOf(rows)],
    };
  },
};
