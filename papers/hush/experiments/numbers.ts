import { averageOf, signOf } from '../../harness/compare-rows.js';
import type { Experiment, ExperimentContext, Finding } from '../../harness/experiment.js';
import { simulations } from '../../harness/measure-task.js';
import {
  amazonChoices,
  amazonRatings,
  coatRatings,
  doubanLikes,
  doubanRatings,
  filmTrustLikes,
  filmTrustRatings,
  flixsterLikes,
  flixsterRatings,
  gowallaVisits,
  jesterRatings,
  lastFmChoices,
  ml1mFewLikes,
  ml1mFewPeople,
  ml1mLikes,
  ml1mRatings,
  ml100kRatings,
  type Task,
} from '../../harness/tasks.js';
import { measureVariant, type Variant } from './measure-variant.js';
import { onValidation } from './on-validation.js';
import { numbersOfChoices, numbersOfFacts, numbersOfRatings, type Varied } from './varied-numbers.js';

/**
 * Real sets alone: what generated data wants is asked by other commands, and does not outvote people. A quick
 * run leaves out what takes long.
 */
async function ratings(context: ExperimentContext): Promise<Task[]> {
  const { quick } = context;
  return [
    await filmTrustRatings(context),
    await amazonRatings(context),
    await ml100kRatings(context),
    await doubanRatings(context),
    await flixsterRatings(context),
    await coatRatings(context),
    ...(quick
      ? [await ml1mFewPeople(context, 1500)]
      : [await ml1mRatings(context), await jesterRatings(context)]),
  ];
}

async function choices(context: ExperimentContext): Promise<Task[]> {
  const { quick } = context;
  return [
    await filmTrustLikes(context),
    await lastFmChoices(context),
    await ml1mLikes(context, quick ? 1500 : undefined),
    await doubanLikes(context),
    await flixsterLikes(context),
    ...(quick
      ? []
      : [await amazonChoices(context), await ml1mFewLikes(context), await gowallaVisits(context)]),
  ];
}

/** Facts are known of coats, and of the films of ML-1M. */
async function facts(context: ExperimentContext): Promise<Task[]> {
  return [
    await coatRatings(context),
    await ml1mRatings(context, 1500),
    ...(context.quick ? [] : [await ml1mRatings(context)]),
  ];
}

/** What a value loses on each set against the one in use: parts of RMSE or Recall, mean over ε, by runs. */
type Losses = readonly (readonly number[])[];

/** A set as each run has it. */
type Runs = readonly { readonly task: Task; readonly seed: number }[];

async function lossesOf(
  context: ExperimentContext,
  sets: readonly Runs[],
  varied: Varied,
  value: number,
  epsilons: readonly number[],
): Promise<Losses> {
  const losses: number[][] = [];
  for (const runs of sets) {
    const ofRuns = runs.map(() => 0);
    for (const epsilon of epsilons) {
      const [base, changed] = [
        { name: 'in use', features: varied.variant(varied.inUse).features === true },
        { name: `${varied.name} ${value}`, ...varied.variant(value) },
      ];
      const inUse = await valuesOf(context, runs, base, epsilon);
      const other = await valuesOf(context, runs, changed, epsilon);
      const { mean } = averageOf(inUse);
      for (const [run, { task }] of runs.entries())
        ofRuns[run] += (signOf(task.metric) * (inUse[run] - other[run])) / mean / epsilons.length;
    }
    losses.push(ofRuns);
  }
  return losses;
}

async function valuesOf(
  context: ExperimentContext,
  runs: Runs,
  variant: Variant,
  epsilon: number,
): Promise<number[]> {
  const values: number[] = [];
  for (const { task, seed } of runs)
    values.push((await measureVariant({ ...context, seed }, task, variant, epsilon, 1)).mean);
  return values;
}

/**
 * Every set with the split that each run has: a look has two runs on one split, and the full answer five
 * splits with a run each.
 */
async function runsOf(
  context: ExperimentContext,
  load: (context: ExperimentContext) => Promise<Task[]>,
): Promise<Runs[]> {
  const splits: Task[][] = [];
  for (let run = 0; run < (context.quick ? 2 : 5); run++)
    splits.push(context.quick && run > 0 ? splits[0] : await load({ ...context, seed: context.seed + run }));
  return splits[0].map((_, set) =>
    splits.map((tasks, run) => ({ task: onValidation(tasks[set]), seed: context.seed + run })),
  );
}

/** Recall@20 below which a set says nothing about numbers: a few hits more or less would be a large part. */
const leastRecall = 0.03;

/** Sets on which something is learned with the most budget. */
async function withSignal(
  context: ExperimentContext,
  sets: readonly Runs[],
  epsilon: number,
): Promise<Runs[]> {
  const kept: Runs[] = [];
  for (const runs of sets) {
    const { mean } = averageOf(await valuesOf(context, runs, { name: 'in use' }, epsilon));
    if (runs[0].task.metric === 'rmse' || mean >= leastRecall) kept.push(runs);
  }
  return kept;
}

/** Mean over sets, of each run: sets count alike. */
function overSets(losses: Losses, without?: number): number[] {
  const counted = losses.filter((_, set) => set !== without);
  return losses[0].map((_, run) => counted.reduce((sum, ofSet) => sum + ofSet[run], 0) / counted.length);
}

const percent = (part: number) => `${(100 * part).toFixed(2)} %`;

/** What is lost on average, on a set, and on a set left out when the value is chosen. */
function judge(tasks: readonly Task[], varied: Varied, byValue: readonly Losses[]) {
  const values = [varied.inUse, ...varied.others];
  const all = [tasks.map(() => byValue[0][0].map(() => 0)), ...byValue];
  const [most, mostLeftOut] = tasks[0].metric === 'rmse' ? [0.001, 0.01] : [0.005, 0.03];
  const means = all.map((losses) => averageOf(overSets(losses)));
  const best = means.reduce((found, { mean }, at) => (mean < means[found].mean ? at : found), 0);
  const findings: Finding[] = [
    {
      what: `${varied.name}: lost on average by ${varied.inUse} against the best value tried (at most ${most}, or two standard errors)`,
      measured: -means[best].mean,
      error: means[best].error,
      holds: -means[best].mean <= Math.max(most, 2 * means[best].error),
      note: values.map((value, at) => `${value} loses ${percent(means[at].mean)}`).join(', '),
    },
  ];
  for (let set = 0; set < tasks.length && tasks.length > 1; set++) {
    const without = all.map((losses) => averageOf(overSets(losses, set)).mean);
    const chosen = without.indexOf(Math.min(...without));
    const own = all.map((losses) => averageOf(losses[set]).mean);
    const ideal = own.indexOf(Math.min(...own));
    const lost = averageOf(all[chosen][set].map((loss, run) => loss - all[ideal][set][run]));
    findings.push({
      what: `${varied.name}, ${tasks[set].name} left out: lost on it (at most ${mostLeftOut}, or two standard errors)`,
      measured: lost.mean,
      error: lost.error,
      holds: lost.mean <= Math.max(mostLeftOut, 2 * lost.error),
      note: `${values[chosen]} chosen on the others, ${values[ideal]} is best on it`,
    });
  }
  const lines = byValue.map((losses, at) => {
    const bySet = losses.map((ofSet) => averageOf(ofSet).mean);
    const worst = bySet.indexOf(Math.max(...bySet));
    const gains = bySet.indexOf(Math.min(...bySet));
    const mean = averageOf(overSets(losses));
    return [
      varied.name,
      varied.inUse,
      varied.others[at],
      `${percent(mean.mean)} ± ${percent(mean.error)}`,
      `${percent(bySet[worst])} (${tasks[worst].name})`,
      `${percent(bySet[gains])} (${tasks[gains].name})`,
    ];
  });
  return { findings, lines };
}

/**
 * Every named number of `hush`, a smaller and a larger one beside it: on validation of real sets, all others
 * as in use. Says what the number in use loses against the
 * best of those tried, and what would have been lost on a real set had it not been there when the number was
 * chosen. A number whose neighbours lose nothing need not be known well; one whose neighbour gains is wrong.
 */
export const numbers: Experiment = {
  id: 'hush/numbers',
  title: 'Every named number of hush, varied: on average, and on real sets left out when it is chosen',
  paper: 'this project, docs/hush.md',
  needs: [
    'ml-1m',
    'ml-100k',
    'filmtrust',
    'amazon-instant-video',
    'hetrec2011-lastfm-2k',
    'gowalla',
    'gcmc-douban',
    'gcmc-flixster',
    'coat',
    'jester-1',
  ],
  minutes: 300,
  quickMinutes: 12,
  async run(context) {
    const epsilons = [1, 5, 20];
    const findings: Finding[] = [];
    const rows: (string | number)[][] = [];
    for (const [load, varied] of [
      [ratings, numbersOfRatings],
      [choices, numbersOfChoices],
      [facts, numbersOfFacts],
    ] as const) {
      const sets = await withSignal(context, await runsOf(context, load), Math.max(...epsilons));
      const tasks = sets.map(([{ task }]) => task);
      for (const number of varied) {
        const byValue: Losses[] = [];
        for (const value of number.others)
          byValue.push(await lossesOf(context, sets, number, value, epsilons));
        const { findings: found, lines } = judge(tasks, number, byValue);
        findings.push(...found);
        for (const finding of found) context.found?.(finding);
        rows.push(...lines);
      }
    }
    const columns = ['number', 'in use', 'instead', 'loses', 'most', 'least'];
    return {
      findings,
      guarantee: simulations,
      sections: [
        {
          heading: 'Part of RMSE or Recall@20 lost by another value, validation, mean over ε 1, 5 and 20',
          table: { columns, rows },
        },
      ],
    };
  },
};
