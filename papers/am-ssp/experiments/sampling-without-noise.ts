import { evaluateModel } from '@hushrec/evaluate';
import { PeopleNames, peopleCoins, RunSecret } from '@hushrec/privacy';
import { type Holdout, type RatingMatrix, selectRatings, splitHoldout } from '@hushrec/ratings';
import { ahead, spreadOfFinding, testOf, testText } from '../../harness/compare-rows.js';
import type { Experiment, ExperimentContext, Finding } from '../../harness/experiment.js';
import { frontierSections } from '../../harness/frontier-table.js';
import {
  type Measured,
  measureAll,
  measureTask,
  papersPeople,
  rowOf,
  simulations,
} from '../../harness/measure-task.js';
import { loadRealData } from '../../harness/real-data.js';
import { ml1mRatings, type Task } from '../../harness/tasks.js';
import { boundContributions } from '../../shared/statistics/bound-contributions.js';

/** k of the figure. */
const limit = 50;
const epsilon = 10;
const [everything, uniform, rarest, half] = [
  'every rating',
  `${limit} a person, uniformly`,
  `${limit} a person, the rarest`,
  'films above the median only',
] as const;

/**
 * Chien et al. 2021, §6.3 and Figure 5, red and purple lines: what sampling costs a model without noise. ALS
 * learns item vectors from the sample; people are fitted on all of their own ratings, as with privacy.
 */
export const samplingWithoutNoise: Experiment = {
  id: 'dpals/without-noise',
  title: 'What sampling and leaving films out cost without noise',
  paper: 'Chien et al. 2021, §6.3 and Figure 5 (on ML-10M there)',
  needs: ['ml-1m', 'movie-features'],
  minutes: 1,
  quickMinutes: 0.3,
  async run(context) {
    const runs = context.quick ? 2 : 10;
    const split = splitHoldout(await loadRealData(context, 'ml-1m'), { seed: context.seed });
    const rows: Measured[] = [];
    for (const [name, train] of Object.entries(trainedOn(split.train, context.seed))) {
      const [row] = await measureTask(context, taskOf(context, split, train, name), { id: 'als' }, [], runs);
      rows.push({ ...row, name });
    }
    const noised = await measureAll(
      context,
      await ml1mRatings(context),
      ['uniform', 'tail'].map((contribution) => ({
        id: 'dpals',
        name: contribution,
        settings: { contribution, itemFraction: 1, contributionLimit: limit },
      })),
      [epsilon],
      runs,
      papersPeople,
    );
    return {
      findings: findings(rows, noised),
      guarantee: `ALS has none. ${simulations}`,
      sections: frontierSections('ALS without noise on samples of ML-1M', 'rmse', rows),
    };
  },
};

/** What item vectors are learnt from. */
function trainedOn(train: RatingMatrix, seed: number): Readonly<Record<string, RatingMatrix>> {
  const { byUser, itemCount, userCount } = train;
  const counts = new Float64Array(itemCount);
  for (const item of byUser.indices) counts[item]++;
  const median = counts.slice().sort()[Math.floor(itemCount / 2)];
  const keys = peopleCoins(new RunSecret({ seed })).line('contributions', 0);
  const coins = new PeopleNames(userCount).coins(keys);
  const sampled = (choice: Parameters<typeof boundContributions>[2]) => ({
    ...train,
    byUser: boundContributions(byUser, limit, choice).byUser,
  });
  return {
    [everything]: train,
    [uniform]: sampled({ kind: 'uniform', coins }),
    [rarest]: sampled({ kind: 'tail', releasedCounts: counts }),
    [half]: selectRatings(
      train,
      byUser.indices.map((item) => (counts[item] > median ? 1 : 0)),
      1,
    ),
  };
}

function taskOf({ engine }: ExperimentContext, split: Holdout, train: RatingMatrix, name: string): Task {
  return {
    name: `ML-1M, item vectors from ${name}`,
    metric: 'rmse',
    declaredPeople: 6000,
    features: [],
    split: { train, evaluate: (model, options) => evaluateModel(model, split, 'holdout', engine, options) },
  };
}

function findings(rows: readonly Measured[], noised: readonly Measured[]): Finding[] {
  const exact = (name: string) => rowOf(rows, name, null);
  const withNoise = ahead('', rowOf(noised, 'tail', epsilon), rowOf(noised, 'uniform', epsilon), 'rmse');
  const without = ahead('', exact(rarest), exact(uniform), 'rmse');
  const more = withNoise.measured - Math.abs(without.measured);
  const tested = testOf(more, [...spreadOfFinding(withNoise), ...spreadOfFinding(without)]);
  return [
    ahead(
      'without noise, vectors for all films beat vectors for half',
      exact(everything),
      exact(half),
      'rmse',
    ),
    ahead(
      `without noise, every rating beats ${limit} of each person`,
      exact(everything),
      exact(uniform),
      'rmse',
      { published: 0.027, note: 'published for ML-10M: 0.785 and 0.812' },
    ),
    {
      what: `the difference that the way of sampling makes is larger with noise (ε = ${epsilon}) than without (difference of both)`,
      measured: more,
      ...tested,
      note: `${testText(tested)}; the rarest ratings of each person gain ${withNoise.measured.toFixed(4)} over a uniform sample with noise and ${without.measured.toFixed(4)} without; published for noise: 0.016`,
    },
  ];
}
