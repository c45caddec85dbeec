import { ahead } from '../../harness/compare-rows.js';
import type { Experiment, Finding } from '../../harness/experiment.js';
import { frontierSections } from '../../harness/frontier-table.js';
import {
  type Measured,
  measureAll,
  nearly,
  papersPeople,
  rowOf,
  simulations,
} from '../../harness/measure-task.js';
import { ml1mLikes } from '../../harness/tasks.js';
import { papersMethodsForLikes } from './ml-1m-contestants.js';
import { aheadAt } from './on-ml-1m.js';

/**
 * Chien et al. 2021, Figure 3c, and Krichene et al. 2024, Figure 2, with ML-1M instead of ML-20M: films liked
 * by people not trained on.
 */
export const ml1mRanking: Experiment = {
  id: 'user-level/ml-1m-ranking',
  title: 'User-level private methods on ML-1M, ranking, tuned on validation',
  paper: 'Chien et al. 2021, Figure 3c; Krichene et al. 2024, Figure 2 (on ML-20M there)',
  needs: ['ml-1m', 'movie-features'],
  minutes: 20,
  quickMinutes: 0.8,
  async run(context) {
    const { quick } = context;
    const task = await ml1mLikes(context);
    const epsilons = quick ? [1, 20] : [1, 5, 20];
    const contestants = papersMethodsForLikes(quick);
    const measure = (asIfPeople?: number) =>
      measureAll(context, task, contestants, epsilons, quick ? 1 : 10, asIfPeople);
    const baselines = [{ id: 'popularity' }, { id: 'ials' }, { id: 'ease' }];
    const without = await measureAll(context, task, baselines, [], 1);
    const own = quick ? [] : await measure();
    const large = await measure(papersPeople);
    const beats = (rows: readonly Measured[], people: string) =>
      rows
        .filter(({ epsilon }) => nearly(20, epsilon))
        .map((row) => {
          const what = `${row.name}, ε = 20, noise of ${people} people: above popularity without privacy`;
          return ahead(what, row, without[0], row.metric, {
            note: `without privacy ials ${without[1].mean.toFixed(4)}, ease ${without[2].mean.toFixed(4)}`,
          });
        });
    // “Comparable”: nine tenths of its Recall@20 at least.
    const comparable = (rows: readonly Measured[], people: string) =>
      rows
        .filter(({ name }) => name === 'dpals')
        .map(({ mean, epsilon, runs }): Finding => {
          const measured = mean / without[1].mean;
          return {
            what: `dpals, ε = ${Number(epsilon!.toPrecision(3))}, noise of ${people} people: share of the Recall@20 of ials without privacy`,
            measured,
            holds: runs < 2 ? null : measured >= 0.9,
            note: `comparable from 0.9 on; ${mean.toFixed(4)} and ${without[1].mean.toFixed(4)}`,
          };
        });
    return {
      findings: [
        ...comparable(own, '4,800'),
        ...comparable(large, '69,878'),
        ...beats(own, '4,800'),
        ...beats(large, '69,878'),
        ...(quick ? [] : rankingOrders('4,800 people', own, epsilons)),
        ...rankingOrders('noise of 69,878 people', large, epsilons),
      ],
      guarantee: simulations,
      sections: [
        ...(own.length > 0
          ? frontierSections('ML-1M likes at their own size', 'recall@20', [...own, ...without])
          : []),
        ...frontierSections('ML-1M likes with the noise of 69,878 people', 'recall@20', [
          ...large,
          ...without,
        ]),
      ],
    };
  },
};

/**
 * Krichene et al. 2024, Figure 2 and E.1.5, and what is asked of public features first: that they help at
 * all.
 */
export function rankingOrders(
  where: string,
  rows: readonly Measured[],
  epsilons: readonly number[],
): Finding[] {
  const [cmf, ssp, dpsgd] = [
    'dp-cmf with film facts',
    'am-ssp with film facts',
    'am-dpsgd with film facts',
  ] as const;
  const orders = [
    [cmf, 'dpals'],
    [ssp, 'dpals'],
    [ssp, cmf],
    [ssp, dpsgd],
    ['dpals', dpsgd],
    [dpsgd, 'dp-sgd'],
  ].flatMap(([better, worse]) =>
    epsilons.map((epsilon) => aheadAt(rows, `${where}: ${better} beats ${worse}`, better, worse, epsilon)),
  );
  // E.1.5: plain DP-SGD has 0.206 at ε = 20, “while all other methods have better Recall@20 even at ε = 1”.
  const early = ['dpals', cmf, ssp, dpsgd].map((name) => rowOf(rows, name, 1));
  const worst = early.reduce((a, b) => (b.mean < a.mean ? b : a));
  const sgd = rowOf(rows, 'dp-sgd', 20);
  const what = `${where}: the worst of the others at ε = 1, ${worst.name}, is above dp-sgd at ε = 20`;
  return [...orders, ahead(what, worst, sgd, sgd.metric)];
}
