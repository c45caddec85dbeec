import { evaluateModel } from '@hushrec/evaluate';
import { likedItems, splitStrongGeneralization } from '@hushrec/ratings';
import type { Experiment } from '../experiment.js';
import { loadRealData } from '../real-data.js';
import {
  meanOf,
  papersPeople,
  type SweptMethod,
  type SweptTask,
  simulationNote,
  sweepSections,
  sweepTask,
} from './holdout-sweep.js';
import { movieFeatures } from './movie-features.js';

const withoutPrivacy = ['popularity', 'ials'];
const isPrivate = ['dpals', 'dp-cmf', 'am-ssp', 'am-dpsgd', 'dp-sgd', 'dp-svd', 'dp-fw'];

/** Chien et al. 2021, Figure 3c, and Krichene et al. 2024, Figure 2, with ML-1M instead of ML-20M: films liked by people not trained on. */
export const ml1mRanking: Experiment = {
  id: 'user-level/ml-1m-ranking',
  title: 'User-level private methods on ML-1M, ranking',
  paper: 'Chien et al. 2021, Figure 3c; Krichene et al. 2024, Figure 2 (on ML-20M there)',
  needs: ['ml-1m', 'movie-features'],
  minutes: 30,
  async run(context) {
    const { ratings, itemIds } = await loadRealData(context, 'ml-1m');
    const split = splitStrongGeneralization(likedItems(ratings, 4), { seed: context.seed });
    const task: SweptTask = {
      identity: 'ml-1m likes',
      metric: 'recall@20',
      split: {
        train: split.train,
        evaluate: (model, options) =>
          evaluateModel(model, split, 'strong-generalization', context.engine, options),
      },
      features: [await movieFeatures(context, itemIds)],
    };
    const epsilons = context.quick ? [20] : [1, 5, 20];
    const swept = (ids: readonly string[]): SweptMethod[] =>
      ids.map((id) => ({
        id,
        repeats: context.quick || withoutPrivacy.includes(id) ? 1 : 3,
        ...(/sgd$/.test(id) && { settings: { samplingRate: 1 } }),
      }));
    const references = await sweepTask(context, task, swept(withoutPrivacy), epsilons);
    const own = context.quick ? [] : await sweepTask(context, task, swept(isPrivate), epsilons);
    const large = await sweepTask(context, task, swept(isPrivate), epsilons, papersPeople);
    const popularity = meanOf(references, 'popularity', null);
    const beats = (rows: typeof large, people: string) =>
      rows
        .filter(({ epsilon }) => epsilon === 20)
        .map(({ name, mean }) => ({
          what: `${name}, ε = 20, noise of ${people} people: Recall@20 above popularity`,
          measured: mean,
          holds: mean > popularity,
          note: `popularity ${popularity.toFixed(4)} without privacy, ials ${meanOf(references, 'ials', null).toFixed(4)}`,
        }));
    return {
      findings: [...beats(own, '4,800'), ...beats(large, '69,878')],
      guarantee: simulationNote,
      sections: [
        ...(own.length > 0
          ? sweepSections(
              'ML-1M at its own size',
              'Four of five people trained on.',
              [...references, ...own],
              'recall@20',
            )
          : []),
        ...sweepSections(
          'ML-1M with the noise of 69,878 people',
          'The per-person budget is multiplied.',
          [...references, ...large],
          'recall@20',
        ),
      ],
    };
  },
};
