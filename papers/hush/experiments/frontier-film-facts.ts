import { papersMethods } from '../../dpals/experiments/ml-1m-contestants.js';
import type { Experiment, Finding } from '../../harness/experiment.js';
import { frontierSections, leads } from '../../harness/frontier-table.js';
import { type Contestant, measureAll, papersPeople, rowOf, simulations } from '../../harness/measure-task.js';
import { ml1mRatings } from '../../harness/tasks.js';

/** `hush` on its defaults, without and with public facts. */
const ours: readonly Contestant[] = [
  { id: 'hush' },
  { id: 'hush', name: 'hush with film facts', features: true },
];

/** What was hoped for with the noise of 69,878 people, without features. */
const hoped: readonly (readonly [number, number])[] = [
  [1, 0.885],
  [5, 0.872],
  [20, 0.867],
];

/**
 * `hush` on its defaults, without and with public facts, against every user-level method tuned on validation:
 * ratings of ML-1M.
 */
export const frontierFilmFacts: Experiment = {
  id: 'hush/frontier-film-facts',
  title: 'hush against every tuned user-level method, with and without film facts: ML-1M ratings',
  paper: 'this project, docs/hush.md',
  needs: ['ml-1m', 'movie-features'],
  minutes: 70,
  async run(context) {
    const { quick } = context;
    const epsilons = quick ? [1, 5, 20] : [1, 5, 10, 20];
    const task = await ml1mRatings(context);
    const measure = (asIfPeople?: number) =>
      measureAll(context, task, [...ours, ...papersMethods(quick)], epsilons, quick ? 3 : 10, asIfPeople);
    const own = await measure();
    const large = await measure(papersPeople);
    const without = await measureAll(context, task, [{ id: 'als' }, { id: 'item-average' }], [], 1);
    return {
      findings: [
        ...leads('ML-1M', 'rmse', own, 'hush', epsilons),
        ...leads('ML-1M', 'rmse', own, 'hush with film facts', epsilons),
        ...leads(`ML-1M as if ${papersPeople} people`, 'rmse', large, 'hush', epsilons),
        ...leads(`ML-1M as if ${papersPeople} people`, 'rmse', large, 'hush with film facts', epsilons),
        ...hoped.map(([epsilon, goal]): Finding => {
          const { mean } = rowOf(large, 'hush', epsilon);
          return {
            what: `as if ${papersPeople} people, ε = ${epsilon}: at most ${goal}`,
            measured: mean,
            holds: mean <= goal,
          };
        }),
      ],
      guarantee: simulations,
      sections: [
        ...frontierSections('ML-1M at its own size', 'rmse', [...own, ...without]),
        ...frontierSections(`ML-1M as if ${papersPeople} people`, 'rmse', [...large, ...without]),
      ],
    };
  },
};
