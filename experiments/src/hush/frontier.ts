import type { Experiment, Finding } from '../experiment.js';
import { type Contestant, type Measured, measureTask, rowOf, simulations } from '../measure-task.js';
import { ml1mRatings } from '../tasks.js';
import { papersPeople } from '../user-level/holdout-sweep.js';
import { frontierSection, leads } from './frontier-table.js';

/** Everyone takes part in every step, so that noise is Gaussian and can stand for a larger population. */
const everyone = { samplingRate: 1 };

/** A first look leaves out the slower and weaker half and takes the others' own rules, which know this data already. */
function contestants(quick: boolean): Contestant[] {
  const tuning = quick ? {} : { trials: 32 };
  const strongest: Contestant[] = [
    { id: 'hush' },
    { id: 'hush', name: 'hush with film facts', features: true },
    { id: 'dpals', ...tuning },
    { id: 'dp-cmf', name: 'dp-cmf with film facts', ...tuning, features: true },
    { id: 'am-ssp', name: 'am-ssp with film facts', ...tuning, features: true },
  ];
  if (quick) return strongest;
  return [
    ...strongest,
    { id: 'am-dpsgd', ...tuning, settings: everyone },
    { id: 'dp-sgd', ...tuning, settings: everyone },
    { id: 'dp-svd', ...tuning },
    { id: 'dp-fw', ...tuning },
  ];
}

/** What was hoped for with the noise of 69,878 people, without features. */
const hoped: readonly (readonly [number, number])[] = [
  [1, 0.885],
  [5, 0.872],
  [20, 0.867],
];

/** `hush` on its defaults against every user-level method tuned on validation: rating prediction. */
export const frontier: Experiment = {
  id: 'hush/frontier',
  title: 'hush against every tuned user-level method: ML-1M ratings',
  paper: 'this project, docs/hush.md',
  needs: ['ml-1m', 'movie-features'],
  minutes: 240,
  async run(context) {
    const { quick } = context;
    const epsilons = quick ? [1, 5, 20] : [1, 5, 10, 20];
    const task = await ml1mRatings(context);
    const measure = async (asIfUsers?: number) => {
      const rows: Measured[] = [];
      for (const contestant of contestants(quick)) {
        rows.push(...(await measureTask(context, task, contestant, epsilons, quick ? 3 : 10, asIfUsers)));
      }
      return rows;
    };
    const own = await measure();
    const large = await measure(papersPeople);
    const without: Measured[] = [];
    for (const id of ['als', 'item-average'])
      without.push(...(await measureTask(context, task, { id }, [], 1)));
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
        frontierSection('ML-1M at its own size', 'rmse', [...own, ...without]),
        frontierSection(`ML-1M as if ${papersPeople} people`, 'rmse', [...large, ...without]),
      ],
    };
  },
};
