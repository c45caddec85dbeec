import { planRun } from '@hushrec/factorize';
import type { Experiment, ExperimentContext, Finding } from '../experiment.js';
import { measureAll, nearly, rowOf, simulations } from '../measure-task.js';
import { amazonChoices, ml1mFewLikes, ml1mLikes, type Task } from '../tasks.js';
import { onValidation } from './on-validation.js';

/** What the rule says, times these. */
const factors = [1 / 8, 1 / 4, 1 / 2, 2, 4, 8];

/** Data on which the rule was learned, with the populations whose noise it is given: none of it is in `hush/defaults`. */
async function tasks(context: ExperimentContext): Promise<[task: Task, people: number][]> {
  const amazon = await amazonChoices(context);
  if (context.quick) return [[amazon, 30_000]];
  return [
    [amazon, 8_000],
    [amazon, 30_000],
    [await ml1mFewLikes(context), 30_000],
    [await ml1mLikes(context), 6_000],
  ];
}

/**
 * How far the rule for the weight of what was not chosen is from the best that can be found around it, on validation of data on which it was
 * learned: dense and sparse choices, from signals below the noise to far above it.
 */
export const choiceRule: Experiment = {
  id: 'hush/choice-rule',
  title: 'The rule for the weight of what was not chosen, on the data it was learned on',
  paper: 'this project, docs/hush.md',
  needs: ['ml-1m', 'amazon-instant-video'],
  minutes: 12,
  async run(context) {
    const epsilons = [1, 5, 20];
    const findings: Finding[] = [];
    const lines: (string | number)[][] = [];
    for (const [whole, people] of await tasks(context)) {
      const task = onValidation(whole);
      const ratio = ratioOf(context, task);
      const nameOf = (factor: number) => (factor === 1 ? 'rule' : `rule × ${factor}`);
      const all = [1, ...factors].sort((a, b) => a - b);
      const rows = await measureAll(
        context,
        task,
        all.map((factor) => ({
          id: 'hush',
          name: nameOf(factor),
          settings: { unobservedRatio: ratio * factor },
        })),
        epsilons,
        context.quick ? 2 : 4,
        people,
      );
      for (const epsilon of epsilons) {
        const means = all.map((factor) => rowOf(rows, nameOf(factor), epsilon).mean);
        const own = rowOf(rows, nameOf(1), epsilon);
        const best = rows
          .filter((row) => nearly(epsilon, row.epsilon))
          .reduce((a, b) => (b.mean > a.mean ? b : a));
        const loss = 1 - own.mean / best.mean;
        lines.push([`${task.name}, as if ${people} people`, epsilon, ...means]);
        findings.push({
          what: `${task.name}, as if ${people} people, ε = ${epsilon}: part of Recall@20 lost by the rule`,
          measured: loss,
          holds: loss <= 0.03,
          note: `rule ${own.mean.toFixed(4)} ± ${own.error.toFixed(4)}, best ${best.mean.toFixed(4)} with ${best.name}; the best of seven is partly luck`,
        });
      }
    }
    const columns = ['data', 'ε', ...[1, ...factors].sort((a, b) => a - b).map((factor) => `× ${factor}`)];
    return {
      findings,
      guarantee: simulations,
      sections: [
        {
          heading: 'Recall@20 on validation with the rule times a factor',
          table: { columns: columns.map((label) => ({ label })), rows: lines },
        },
      ],
    };
  },
};

/** κ that `hush` takes by itself. */
function ratioOf(context: ExperimentContext, { split, declaredUsers }: Task): number {
  const { itemCount, scale } = split.train;
  const { settings } = planRun({
    method: 'hush',
    settings: {},
    features: [],
    itemCount,
    scale,
    epsilon: 1,
    delta: 1e-5,
    seed: context.seed,
    declaredUsers,
  });
  return Number(settings['unobservedRatio']);
}
