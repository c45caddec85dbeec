import type { Experiment, ExperimentContext, Finding } from '../../harness/experiment.js';
import { frontierSections } from '../../harness/frontier-table.js';
import { type Contestant, type Measured, measureAll, simulations } from '../../harness/measure-task.js';
import { ml10mRatings, ml20mLikes, type Task } from '../../harness/tasks.js';
import { papersMethods, papersMethodsForLikes, uniformSampling } from './ml-1m-contestants.js';
import { rankingOrders } from './ml-1m-ranking.js';
import { orderings } from './ml-1m-table.js';

/** Methods that noise a matrix of items by items, which the papers did not run on all films either. */
const isSmall = ({ id }: Contestant) => id !== 'dp-fw' && id !== 'dp-svd';

/** The methods of the papers on the data of the papers, at its own size. */
function onPapersData(
  identity: Pick<Experiment, 'id' | 'title' | 'paper' | 'needs'>,
  load: (context: ExperimentContext) => Promise<Task>,
  contestants: (quick: boolean) => readonly Contestant[],
  findings: (rows: readonly Measured[], epsilons: readonly number[]) => readonly Finding[],
): Experiment {
  return {
    ...identity,
    minutes: 600,
    quickMinutes: 60,
    async run(context) {
      const { quick } = context;
      const task = await load(context);
      const epsilons = [1, 5, 20];
      const some = contestants(quick).filter(isSmall);
      const rows = await measureAll(context, task, some, epsilons, quick ? 2 : 10);
      return {
        findings: findings(rows, epsilons),
        guarantee: simulations,
        sections: frontierSections(task.name, task.metric, rows),
      };
    },
  };
}

/** Chien et al. 2021, Figure 3b; Curmei et al. 2023, Figure 1a; Krichene et al. 2024, Figure 1. */
export const ml10m = onPapersData(
  {
    id: 'user-level/ml-10m',
    title: 'User-level private methods on ML-10M',
    paper: 'Chien et al. 2021, Figure 3b; Curmei et al. 2023, Figure 1a; Krichene et al. 2024, Figure 1',
    needs: ['ml-10m'],
  },
  ml10mRatings,
  (quick) => [...papersMethods(quick), uniformSampling(quick)],
  (rows, epsilons) => orderings('ML-10M', rows, epsilons),
);

/** Chien et al. 2021, Figure 3c; Krichene et al. 2024, Figure 2. */
export const ml20mRanking = onPapersData(
  {
    id: 'user-level/ml-20m-ranking',
    title: 'User-level private methods on ML-20M, ranking',
    paper: 'Chien et al. 2021, Figure 3c; Krichene et al. 2024, Figure 2',
    needs: ['ml-20m'],
  },
  ml20mLikes,
  papersMethodsForLikes,
  (rows, epsilons) => rankingOrders('ML-20M', rows, epsilons),
);
