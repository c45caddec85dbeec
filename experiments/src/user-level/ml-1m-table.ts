import type { Experiment, Finding } from '../experiment.js';
import { frontierSections } from '../frontier-table.js';
import { type Measured, measureAll, rowOf, simulations } from '../measure-task.js';
import { ml1mRatings } from '../tasks.js';
import { papersPeople } from './holdout-sweep.js';
import { papersMethods, uniformSampling } from './ml-1m-contestants.js';

/** Every user-level method on ML-1M, at its own size and with the noise of ML-10M's population. */
export const ml1mTable: Experiment = {
  id: 'user-level/ml-1m',
  title: 'User-level private methods on ML-1M, tuned on validation',
  paper: 'Chien et al. 2021; Curmei et al. 2023; Krichene et al. 2024 (on ML-10M there)',
  needs: ['ml-1m', 'movie-features'],
  minutes: 30,
  async run(context) {
    const { quick } = context;
    const task = await ml1mRatings(context);
    const epsilons = quick ? [1, 5, 20] : [1, 5, 10, 20];
    const contestants = [...papersMethods(quick), uniformSampling(quick)];
    const measure = (asIfUsers?: number) =>
      measureAll(context, task, contestants, epsilons, quick ? 1 : 10, asIfUsers);
    const own = await measure();
    const large = await measure(papersPeople);
    const without = await measureAll(
      context,
      task,
      ['als', 'global-effects', 'item-average'].map((id) => ({ id })),
      [],
      1,
    );
    return {
      findings: [
        ...orderings('6,040 people', own, epsilons),
        ...orderings('noise of 69,878 people', large, epsilons),
        ...prototype(large),
      ],
      guarantee: simulations,
      sections: [
        ...frontierSections('ML-1M at its own size', 'rmse', [...own, ...without]),
        ...frontierSections('ML-1M with the noise of 69,878 people', 'rmse', [...large, ...without]),
      ],
    };
  },
};

/** What the papers say about the order of methods. */
function orderings(where: string, rows: readonly Measured[], epsilons: readonly number[]): Finding[] {
  const compare = (
    what: string,
    better: string,
    worse: string,
    at: readonly number[],
    slack = 0,
  ): Finding => {
    const differences = at.map(
      (epsilon) => rowOf(rows, better, epsilon).mean - rowOf(rows, worse, epsilon).mean,
    );
    return {
      what: `${where}: ${what}`,
      measured: Math.max(...differences),
      holds: differences.every((difference) => difference <= slack),
      note: `RMSE difference at ε = ${at.join(', ')}: ${differences.map((d) => d.toFixed(4)).join(', ')}; the largest is shown`,
    };
  };
  const low = epsilons.filter((epsilon) => epsilon <= 5);
  const [cmf, ssp, dpsgd] = ['dp-cmf with film facts', 'am-ssp with film facts', 'am-dpsgd with film facts'];
  return [
    compare('dpals: adaptive weights beat uniform sampling', 'dpals', 'dpals, uniform sampling', epsilons),
    compare('dp-cmf with film facts beats dpals at ε ≤ 5', cmf!, 'dpals', low),
    compare('am-ssp at least equals dp-cmf (within 0.002)', ssp!, cmf!, epsilons, 0.002),
    compare('dpals beats am-dpsgd', 'dpals', dpsgd!, epsilons),
    compare('am-dpsgd beats dp-sgd', dpsgd!, 'dp-sgd', epsilons),
    compare('dpals beats dp-fw', 'dpals', 'dp-fw', epsilons),
    compare('dpals beats dp-svd', 'dpals', 'dp-svd', epsilons),
  ];
}

/** A corrected prototype without personal intercepts reached these before; `dpals` should not be worse. */
function prototype(rows: readonly Measured[]): Finding[] {
  return [
    [1, 0.922],
    [5, 0.889],
    [20, 0.878],
  ].map(([epsilon, reached]) => {
    const { mean } = rowOf(rows, 'dpals', epsilon!);
    return {
      what: `dpals with the noise of 69,878 people, ε = ${epsilon}: at most ${reached}`,
      measured: mean,
      holds: mean <= reached!,
    };
  });
}
