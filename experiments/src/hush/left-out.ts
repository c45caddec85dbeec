import { type HushRules, hushRules } from '@hushrec/factorize';
import { signOf } from '../compare-rows.js';
import type { Experiment, ExperimentContext, Finding } from '../experiment.js';
import { simulations } from '../measure-task.js';
import {
  amazonChoices,
  amazonRatings,
  filmTrustLikes,
  filmTrustRatings,
  gowallaVisits,
  lastFmChoices,
  ml1mFewPeople,
  ml1mLikes,
  ml1mRatings,
  ml100kRatings,
  type Task,
} from '../tasks.js';
import { measureVariant, type Variant } from './measure-variant.js';
import { onValidation } from './on-validation.js';

/** One number of the rules, and the values that are tried for it beside the one in use. */
interface Varied {
  readonly name: string;
  readonly inUse: number;
  readonly others: readonly number[];
  variant(value: number): Omit<Variant, 'name'>;
}

const ofRules = (rule: keyof HushRules, others: readonly number[]): Varied => ({
  name: rule,
  inUse: hushRules[rule],
  others,
  variant: (value) => ({ rules: { [rule]: value } }),
});
const ofSettings = (setting: string, inUse: number, others: readonly number[]): Varied => ({
  name: setting,
  inUse,
  others,
  variant: (value) => ({ settings: { [setting]: value } }),
});

const forRatings: readonly Varied[] = [
  ofRules('leastTold', [0, 25_000, 200_000]),
  ofRules('leastGain', [1, 1.15]),
  ofSettings('weightExponent', 0.25, [0.15, 0.35]),
];
const forChoices: readonly Varied[] = [
  ofSettings('userRidge', 0.005, [0.0015, 0.015]),
  ofRules('ridgeInUse', [0.5, 4]),
  ofRules('certainDirections', [8, 64]),
  ofRules('steepest', [5, 20]),
  ofRules('enoughChoices', [15, 100]),
  ofRules('plainHead', [0, 5]),
  ofRules('mostUnchosen', [0.005, 0.02]),
  ofRules('strengthPerDirection', [50, 200]),
  ofSettings('unobservedRatio', 3.5, [1.75, 7]),
];

/** Real sets; a quick run takes those that train in a second or two. */
const ratingSets: readonly ((context: ExperimentContext) => Promise<Task>)[] = [
  filmTrustRatings,
  amazonRatings,
  ml100kRatings,
];
const choiceSets: readonly ((context: ExperimentContext) => Promise<Task>)[] = [
  filmTrustLikes,
  amazonChoices,
  lastFmChoices,
  ml1mLikes,
];

/** How much worse each value is on each set than the one in use: parts of RMSE or Recall, mean over ε. */
interface Losses {
  readonly sets: readonly string[];
  readonly values: readonly number[];
  /** By set and value; 0 for the one in use. */
  readonly loss: readonly (readonly number[])[];
  /** Standard errors of those means. */
  readonly error: readonly (readonly number[])[];
}

async function lossesOf(
  context: ExperimentContext,
  tasks: readonly Task[],
  varied: Varied,
  epsilons: readonly number[],
  repeats: number,
): Promise<Losses> {
  const values = [varied.inUse, ...varied.others];
  const loss: number[][] = [];
  const error: number[][] = [];
  for (const task of tasks) {
    const sums = values.map(() => 0);
    const squares = values.map(() => 0);
    for (const epsilon of epsilons) {
      const base = await measureVariant(context, task, { name: 'in use' }, epsilon, repeats);
      for (const [at, value] of varied.others.entries()) {
        const name = `${varied.name} ${value}`;
        const figure = await measureVariant(
          context,
          task,
          { name, ...varied.variant(value) },
          epsilon,
          repeats,
        );
        const worse = signOf(task.metric) * (base.mean - figure.mean);
        sums[at + 1] += worse / base.mean / epsilons.length;
        squares[at + 1] += (figure.error ** 2 + base.error ** 2) / (base.mean * epsilons.length) ** 2;
      }
    }
    loss.push(sums);
    error.push(squares.map(Math.sqrt));
  }
  return { sets: tasks.map(({ name }) => name), values, loss, error };
}

/** The value that loses least on all sets but one. */
function chosenWithout(losses: Losses, leftOut: number): number {
  const total = losses.values.map((_, at) =>
    losses.loss.reduce((sum, ofSet, set) => (set === leftOut ? sum : sum + ofSet[at]), 0),
  );
  return total.indexOf(Math.min(...total));
}

/**
 * Whether rules would have been the same, and as good, had a real set not been there when they were made:
 * every number of the rules is varied on validation of all real sets, chosen on all of them but one, and
 * judged by what it loses on that one.
 */
export const leftOut: Experiment = {
  id: 'hush/left-out',
  title: 'What the rules of hush lose on a real set that is left out when their numbers are chosen',
  paper: 'this project, docs/hush.md',
  needs: ['ml-1m', 'ml-100k', 'filmtrust', 'amazon-instant-video', 'hetrec2011-lastfm-2k', 'gowalla'],
  minutes: 150,
  quickMinutes: 15,
  async run(context) {
    const { quick } = context;
    const epsilons = [1, 5, 20];
    const repeats = quick ? 2 : 6;
    const ofRatings = [
      ...ratingSets,
      quick ? (each: ExperimentContext) => ml1mFewPeople(each, 1500) : ml1mRatings,
    ];
    const ofChoices = quick ? choiceSets : [...choiceSets, gowallaVisits];
    const findings: Finding[] = [];
    const lines: (string | number)[][] = [];
    for (const [sets, numbers] of [
      [ofRatings, forRatings],
      [ofChoices, forChoices],
    ] as const) {
      const tasks: Task[] = [];
      for (const load of sets) tasks.push(onValidation(await load(context)));
      for (const varied of numbers) {
        const losses = await lossesOf(context, tasks, varied, epsilons, repeats);
        losses.sets.forEach((set, index) => {
          const chosen = chosenWithout(losses, index);
          const own = losses.loss[index].indexOf(Math.min(...losses.loss[index]));
          const loss = losses.loss[index][chosen] - losses.loss[index][own];
          const error = Math.hypot(losses.error[index][chosen], losses.error[index][own]);
          const most = tasks[index].metric === 'rmse' ? 0.01 : 0.03;
          lines.push([varied.name, set, losses.values[chosen], losses.values[own], loss, error]);
          findings.push({
            what: `${varied.name}, ${set} left out: lost on it (at most ${most}, or two standard errors)`,
            measured: loss,
            error,
            holds: loss <= Math.max(most, 2 * error),
            note: `${losses.values[chosen]} chosen on the others, ${losses.values[own]} is best on it, ${varied.inUse} in use; ± ${error.toFixed(4)}; ${losses.values.map((value, at) => `${value}: ${losses.loss[index][at].toFixed(4)}`).join(', ')}`,
          });
        });
      }
    }
    const columns = ['number', 'left out', 'chosen on the others', 'best on it', 'lost', 'standard error'];
    return {
      findings,
      guarantee: simulations,
      sections: [
        {
          heading:
            'Part of RMSE or Recall@20 lost on a set that is left out, validation, mean over ε 1, 5 and 20',
          table: { columns: columns, rows: lines },
        },
      ],
    };
  },
};
