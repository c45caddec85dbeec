import type { Experiment, Finding } from '../experiment.js';
import { frontierSection, leads } from '../frontier-table.js';
import { type Contestant, type Measured, measureTask, rowOf, simulations } from '../measure-task.js';
import { gowallaVisits, ml1mLikes, type Task } from '../tasks.js';
import { papersPeople } from '../user-level/holdout-sweep.js';

const everyone = { samplingRate: 1 };

/** `hush` on its defaults against user-level methods tuned on validation: choices, people the model has not seen. */
export const frontierChoices: Experiment = {
  id: 'hush/frontier-choices',
  title: 'hush against tuned user-level methods: likes of ML-1M and visits of Gowalla',
  paper: 'this project, docs/hush.md',
  needs: ['ml-1m', 'gowalla'],
  minutes: 300,
  async run(context) {
    const { quick } = context;
    const epsilons = quick ? [1, 5, 20] : [1, 5, 10, 20];
    const tuning = quick ? {} : { trials: 32 };
    const measure = async (task: Task, contestants: readonly Contestant[], asIfUsers?: number) => {
      const rows: Measured[] = [];
      for (const contestant of contestants) {
        rows.push(...(await measureTask(context, task, contestant, epsilons, quick ? 3 : 10, asIfUsers)));
      }
      return rows;
    };
    const all: Contestant[] = [
      { id: 'hush' },
      { id: 'dpals', ...tuning },
      { id: 'am-ssp', ...tuning },
      { id: 'am-dpsgd', ...tuning, settings: everyone },
      { id: 'dp-sgd', ...tuning, settings: everyone },
      { id: 'dp-svd', ...tuning },
      { id: 'dp-fw', ...tuning },
    ];
    const likes = await ml1mLikes(context);
    const own = await measure(likes, quick ? all.filter(({ id }) => /hush|dpals|dp-svd/.test(id)) : all);
    const large = await measure(
      likes,
      quick ? all.filter(({ id }) => /hush|dpals/.test(id)) : all,
      papersPeople,
    );
    const visits = await gowallaVisits(context);
    // The covariance of dp-svd would have 1.7 billion entries there; gradient methods take hours.
    const gowalla = await measure(
      visits,
      quick ? [{ id: 'hush' }] : [{ id: 'hush' }, { id: 'dpals', trials: 8 }],
    );
    const baselines = async (task: Task) => [
      ...(await measureTask(context, task, { id: 'popularity' }, [], 1)),
      ...(await measureTask(context, task, { id: 'ials' }, [], 1)),
    ];
    const onLikes = await baselines(likes);
    const onVisits = await baselines(visits);
    const abovePopularity = (where: string, rows: readonly Measured[], plain: readonly Measured[]) =>
      epsilons.map((epsilon): Finding => {
        const { mean } = rowOf(rows, 'hush', epsilon);
        return {
          what: `${where}, ε = ${epsilon}: hush above popularity without privacy (${plain[0]!.mean.toFixed(4)}), recall@20`,
          measured: mean,
          holds: mean > plain[0]!.mean,
          note: `ials without privacy: ${plain[1]!.mean.toFixed(4)}`,
        };
      });
    return {
      findings: [
        ...leads('ML-1M likes', 'recall@20', own, 'hush', epsilons),
        ...leads(`ML-1M likes as if ${papersPeople} people`, 'recall@20', large, 'hush', epsilons),
        ...(quick ? [] : leads('Gowalla', 'recall@20', gowalla, 'hush', epsilons)),
        ...abovePopularity('ML-1M likes', own, onLikes),
        ...abovePopularity('Gowalla', gowalla, onVisits),
      ],
      guarantee: simulations,
      sections: [
        frontierSection('ML-1M likes at their own size', 'recall@20', [...own, ...onLikes]),
        frontierSection(`ML-1M likes as if ${papersPeople} people`, 'recall@20', [...large, ...onLikes]),
        frontierSection('Gowalla', 'recall@20', [...gowalla, ...onVisits]),
      ],
    };
  },
};
