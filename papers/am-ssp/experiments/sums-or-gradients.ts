import { publishedGains } from '../../dpals/experiments/ml-1m-table.js';
import { ahead, signOf } from '../../harness/compare-rows.js';
import type { Experiment, Finding } from '../../harness/experiment.js';
import { frontierSections } from '../../harness/frontier-table.js';
import {
  type Contestant,
  type Measured,
  measureAll,
  papersPeople,
  rowOf,
  simulations,
} from '../../harness/measure-task.js';
import { ml1mLikes, ml1mRatings, type Task } from '../../harness/tasks.js';

const methods = ['am-ssp', 'am-dpsgd'] as const;
type Method = (typeof methods)[number];

/**
 * Both with the paper's two-layer encoder and with one vector a token, given features; and with one vector an
 * item and nothing else.
 */
const forms: readonly { readonly name: string; readonly features: boolean; readonly settings: object }[] = [
  { name: 'one layer', features: true, settings: { encoder: 'linear' } },
  { name: 'two layers', features: true, settings: { encoder: 'bag', optimizer: 'adam' } },
  { name: 'ids only', features: false, settings: { encoder: 'linear' } },
];
const nameOf = (method: Method, form: string) => `${method}, ${form}`;

/**
 * Krichene et al. 2024, §4.2, Figures 1 and 2: sums against gradients with the same number of candidates for
 * every line.
 */
export const sumsOrGradients: Experiment = {
  id: 'am-ssp/against-dpsgd',
  title: 'AM-SSP against AM-DPSGD with equal search effort, features and encoders',
  paper: 'Krichene et al. 2024, Figures 1 and 2',
  needs: ['ml-1m', 'movie-features'],
  minutes: 200,
  quickMinutes: 4.4,
  async run(context) {
    const { quick } = context;
    // A first look: every sixth person, and each method's own rules.
    const people = quick ? 1000 : undefined;
    const effort = quick ? { trials: 1, finalRuns: 1 } : { trials: 12, finalRuns: 2 };
    const epsilons = quick ? [5] : [1, 5, 20];
    const contestants: Contestant[] = [
      ...methods.flatMap((id) =>
        forms.map(({ name, features, settings }) => ({
          id,
          name: nameOf(id, name),
          features,
          settings: { ...settings, ...(id === 'am-dpsgd' && { samplingRate: 1 }) },
          ...effort,
        })),
      ),
      { id: 'dp-cmf', features: true, ...effort },
    ];
    const measure = (task: Task) =>
      measureAll(context, task, contestants, epsilons, quick ? 2 : 10, papersPeople);
    const ratings = await measure(await ml1mRatings(context, people));
    const likes = await measure(await ml1mLikes(context, people));
    return {
      findings: [
        ...findings('ratings', ratings, epsilons, quick),
        ...findings('likes', likes, epsilons, quick),
      ],
      guarantee: `${quick ? 'The method’s own rules for every line, of 1,000 people' : `${effort.trials} candidates for every line, ${effort.finalRuns} more runs of the best three`}; the encoder with features is the one that is better on validation. ${simulations}`,
      sections: [
        ...frontierSections('Ratings', 'rmse', ratings),
        ...frontierSections('Likes', 'recall@20', likes),
      ],
    };
  },
};

/** The line with features whose encoder is better on validation. */
function withFeatures(rows: readonly Measured[], method: Method, epsilon: number): Measured {
  const [one, two] = ['one layer', 'two layers'].map((form) => rowOf(rows, nameOf(method, form), epsilon));
  return signOf(one.metric) * (two.tuned!.validation - one.tuned!.validation) > 0 ? two : one;
}

function findings(
  what: string,
  rows: readonly Measured[],
  epsilons: readonly number[],
  quick: boolean,
): Finding[] {
  return epsilons.flatMap((epsilon) => {
    const [sums, gradients] = methods.map((method) => withFeatures(rows, method, epsilon));
    const ids = (method: Method) => rowOf(rows, nameOf(method, 'ids only'), epsilon);
    const { metric } = sums;
    const cmf = rowOf(rows, 'dp-cmf', epsilon);
    const published = metric === 'rmse' && !quick ? publishedGains.get(epsilon) : undefined;
    const chosen = `${sums.name} and ${gradients.name} by validation`;
    return [
      ahead(`${what}, ε = ${epsilon}: AM-SSP beats AM-DPSGD`, sums, gradients, metric, { note: chosen }),
      ahead(`${what}, ε = ${epsilon}: AM-SSP beats DP-CMF`, sums, cmf, metric, {
        ...(published !== undefined && { published, note: 'published for ML-10M' }),
      }),
      ahead(`${what}, ε = ${epsilon}: features help AM-SSP`, sums, ids('am-ssp'), metric),
      metric === 'rmse'
        ? ahead(`${what}, ε = ${epsilon}: features help AM-DPSGD`, gradients, ids('am-dpsgd'), metric)
        : ahead(`${what}, ε = ${epsilon}: features hurt AM-DPSGD`, ids('am-dpsgd'), gradients, metric),
      ...methods.map((method) =>
        ahead(
          `${what}, ε = ${epsilon}: two layers beat one, ${method}`,
          rowOf(rows, nameOf(method, 'two layers'), epsilon),
          rowOf(rows, nameOf(method, 'one layer'), epsilon),
          metric,
        ),
      ),
    ];
  });
}
