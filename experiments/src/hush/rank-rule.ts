import type { Experiment, ExperimentContext, Finding } from '../experiment.js';
import { type Contestant, measureAll, nearly, rowOf, simulations } from '../measure-task.js';
import { generatedRatings, ml1mFewPeople, type Task } from '../tasks.js';
import { onValidation } from './on-validation.js';
import { ownSettings } from './own-settings.js';

/** Rank and rounds that the rule chooses from. */
const ranks = [
  [4, 4],
  [5, 5],
  [6, 6],
  [8, 6],
  [12, 8],
] as const;
/** What else the rule sets, and how far around it is tried. */
const around = {
  effectShare: 1.6,
  vectorBound: 1.5,
  interceptRidge: 2,
  foldInInterceptRidge: 2,
  varianceFactor: 1.15,
  weightExponent: 1.6,
} as const;

/** Data on which the rule was learned: none of it is in `hush/defaults`. */
async function tasks(context: ExperimentContext): Promise<Task[]> {
  const generated = [
    generatedRatings(context, 1000, 300, 40_000),
    generatedRatings(context, 3000, 150, 60_000),
    generatedRatings(context, 4000, 2000, 200_000),
  ];
  return context.quick ? generated.slice(0, 2) : [...generated, await ml1mFewPeople(context, 1000)];
}

/**
 * How far `suggestHush` is from the best that can be found around it, on validation of data on which it was learned: other
 * ranks, and every setting of the rule larger and smaller.
 */
export const rankRule: Experiment = {
  id: 'hush/rank-rule',
  title: 'The rule for the settings of hush by signal over noise, on the data it was learned on',
  paper: 'this project, docs/hush.md',
  needs: ['ml-1m'],
  minutes: 8,
  async run(context) {
    const epsilons = [1, 5, 20];
    const findings: Finding[] = [];
    for (const task of (await tasks(context)).map(onValidation)) {
      for (const epsilon of epsilons) {
        const rows = await measureAll(
          context,
          task,
          [{ id: 'hush', name: 'rule' }, ...alternatives(context, task, epsilon)],
          [epsilon],
          context.quick ? 2 : 4,
        );
        const own = rowOf(rows, 'rule', epsilon);
        const best = rows
          .filter((row) => nearly(epsilon, row.epsilon))
          .reduce((a, b) => (b.mean < a.mean ? b : a));
        const loss = own.mean / best.mean - 1;
        findings.push({
          what: `${task.name}, ε = ${epsilon}: part of RMSE lost by the rule (at most 0.01)`,
          measured: loss,
          holds: loss <= 0.01,
          note: `rule ${own.mean.toFixed(4)} ± ${own.error.toFixed(4)}, best ${best.mean.toFixed(4)} with ${best.name}`,
        });
      }
    }
    return { findings, guarantee: simulations, sections: [] };
  },
};

/** The rule with one thing changed. */
function alternatives(context: ExperimentContext, task: Task, epsilon: number): Contestant[] {
  const settings = ownSettings(context, task, epsilon, task.declaredPeople);
  return [
    ...ranks.map(([rank, rounds]) => ({
      id: 'hush',
      name: `rank ${rank}, ${rounds} rounds`,
      settings: { rank, rounds },
    })),
    ...Object.entries(around).flatMap(([name, factor]) =>
      [1 / factor, factor].map((times) => {
        const value = Number((Number(settings[name]) * times).toPrecision(3));
        return { id: 'hush', name: `${name} ${value}`, settings: { [name]: value } };
      }),
    ),
  ];
}
