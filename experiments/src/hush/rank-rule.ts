import type { Experiment, Finding } from '../experiment.js';
import { measureTask, rowOf, simulations } from '../measure-task.js';
import { generatedRatings } from '../tasks.js';

const shapes = [
  [1000, 300, 40_000],
  [4000, 500, 160_000],
  [15_000, 1000, 600_000],
] as const;

/**
 * How the steps of `suggestHush` were found: on generated catalogues of several sizes, the best rank and number of rounds on
 * validation, beside what the rule says from N·μ alone.
 */
export const rankRule: Experiment = {
  id: 'hush/rank-rule',
  title: 'Rank and rounds of hush by signal over noise, on generated data',
  paper: 'this project, docs/hush.md',
  needs: [],
  minutes: 20,
  async run(context) {
    const findings: Finding[] = [];
    for (const [users, items, ratings] of context.quick ? shapes.slice(0, 2) : shapes) {
      const task = generatedRatings(context, users, items, ratings);
      const onValidation = {
        ...task,
        split: {
          train: task.split.train,
          evaluate: (
            model: Parameters<typeof task.split.evaluate>[0],
            options: Parameters<typeof task.split.evaluate>[1],
          ) => task.split.evaluate(model, { ...options, stage: 'validation' }),
        },
      };
      const epsilons = [1, 5, 20];
      const repeats = context.quick ? 2 : 5;
      const rule = await measureTask(context, onValidation, { id: 'hush', name: 'rule' }, epsilons, repeats);
      const tried = [...rule];
      for (const rank of [2, 4, 6, 8, 12, 16]) {
        for (const rounds of rank < 8 ? [3, 5] : [5, 8]) {
          const name = `rank ${rank}, ${rounds} rounds`;
          tried.push(
            ...(await measureTask(
              context,
              onValidation,
              { id: 'hush', name, settings: { rank, rounds } },
              epsilons,
              repeats,
            )),
          );
        }
      }
      for (const epsilon of epsilons) {
        const own = rowOf(rule, 'rule', epsilon);
        const best = tried
          .filter((row) => row.epsilon === own.epsilon)
          .reduce((a, b) => (b.mean < a.mean ? b : a));
        const loss = own.mean / best.mean - 1;
        findings.push({
          what: `${task.name}, ε = ${epsilon}: part of RMSE lost by the rule (at most 0.01)`,
          measured: loss,
          holds: loss <= 0.01,
          note: `rule ${own.mean.toFixed(4)}, best ${best.mean.toFixed(4)} with ${best.name}`,
        });
      }
    }
    return { findings, guarantee: simulations, sections: [] };
  },
};
