import { papersMethodsForLikes } from '../../dpals/experiments/ml-1m-contestants.js';
import type { Experiment, Finding } from '../../harness/experiment.js';
import { frontierSections, leads } from '../../harness/frontier-table.js';
import {
  type Contestant,
  type Measured,
  measureAll,
  papersPeople,
  rowOf,
  simulations,
} from '../../harness/measure-task.js';
import { gowallaVisits, ml1mLikes, type Task } from '../../harness/tasks.js';

/**
 * What can be run on 40,981 places without facts about them: `dp-cmf` is `dpals` then (and so is `am-ssp`, a
 * second search of the same), and the covariance of `dp-svd` and `dp-fw` would have 0.8 billion entries.
 * `dp-sgd` takes longest and is behind `am-dpsgd` wherever both are run.
 */
const onGowalla: readonly Contestant[] = [
  { id: 'hush' },
  { id: 'dpals', trials: 8 },
  { id: 'am-ssp', trials: 6 },
  { id: 'am-dpsgd', trials: 6 },
];

/**
 * `hush` on its defaults against user-level methods tuned on validation: choices, people the model has not
 * seen.
 */
export const frontierChoices: Experiment = {
  id: 'hush/frontier-choices',
  title: 'hush against tuned user-level methods: likes of ML-1M and visits of Gowalla',
  paper: 'this project, docs/hush.md',
  needs: ['ml-1m', 'movie-features', 'gowalla'],
  minutes: 60,
  async run(context) {
    const { quick } = context;
    const epsilons = [1, 5, 20];
    const repeats = quick ? 3 : 10;
    const others = papersMethodsForLikes(quick).filter(({ id }) => !quick || /dpals|dp-cmf/.test(id));
    // Film facts only at the data's own size: with the noise of many people they add little, and a training
    // takes ten times as long.
    const withFacts: Contestant = { id: 'hush', name: 'hush with film facts', features: true };
    const visits = await gowallaVisits(context);
    const gowalla = await measureAll(
      context,
      visits,
      quick ? [{ id: 'hush' }] : onGowalla,
      epsilons,
      repeats,
    );
    const likes = await ml1mLikes(context);
    const own = await measureAll(context, likes, [{ id: 'hush' }, withFacts, ...others], epsilons, repeats);
    const large = await measureAll(
      context,
      likes,
      [{ id: 'hush' }, ...others],
      epsilons,
      repeats,
      papersPeople,
    );
    const baselines = (task: Task, ids: readonly string[]) => {
      const tuned = ids.map((id) => ({ id, ...(!quick && { trials: 12 }) }));
      return measureAll(context, task, [{ id: 'popularity' }, ...tuned], [], 1);
    };
    const onLikes = await baselines(likes, ['ials', 'ease']);
    // `ease` would take 19 GiB for so many places.
    const onVisits = await baselines(visits, ['ials']);
    const abovePopularity = (where: string, rows: readonly Measured[], plain: readonly Measured[]) =>
      epsilons.map((epsilon): Finding => {
        const { mean } = rowOf(rows, 'hush', epsilon);
        return {
          what: `${where}, ε = ${epsilon}: hush above popularity without privacy (${plain[0].mean.toFixed(4)}), recall@20`,
          measured: mean,
          holds: mean > plain[0].mean,
          note: `without privacy: ${plain
            .slice(1)
            .map((row) => `${row.name} ${row.mean.toFixed(4)}`)
            .join(', ')}`,
        };
      });
    return {
      findings: [
        ...leads('ML-1M likes', 'recall@20', own, 'hush', epsilons),
        ...leads('ML-1M likes', 'recall@20', own, 'hush with film facts', epsilons),
        ...leads(`ML-1M likes as if ${papersPeople} people`, 'recall@20', large, 'hush', epsilons),
        ...(quick ? [] : leads('Gowalla', 'recall@20', gowalla, 'hush', epsilons)),
        ...abovePopularity('ML-1M likes', own, onLikes),
        ...abovePopularity('Gowalla', gowalla, onVisits),
      ],
      guarantee: simulations,
      sections: [
        ...frontierSections('ML-1M likes at their own size', 'recall@20', [...own, ...onLikes]),
        ...frontierSections(`ML-1M likes as if ${papersPeople} people`, 'recall@20', [...large, ...onLikes]),
        ...frontierSections('Gowalla', 'recall@20', [...gowalla, ...onVisits]),
      ],
    };
  },
};
