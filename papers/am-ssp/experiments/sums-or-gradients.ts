import { type SearchSpace, within } from '@hushrec/factorize';
import { publishedGains } from '../../dpals/experiments/ml-1m-table.js';
import { ahead, signOf } from '../../harness/compare-rows.js';
import type { Experiment, Finding } from '../../harness/experiment.js';
import { frontierSections } from '../../harness/frontier-table.js';
import {
  type Contestant,
  type Measured,
  measureTogether,
  papersPeople,
  rowOf,
  simulations,
} from '../../harness/measure-task.js';
import { ml1mLikes, ml1mRatings } from '../../harness/tasks.js';

const methods = ['am-ssp', 'am-dpsgd'] as const;
type Method = (typeof methods)[number];

/** Searched in both methods alike. */
const common: SearchSpace = {
  rank: within(1.6),
  userRidge: within(2.5),
  itemRidge: within(4),
  clipNorm: within(2),
  weightExponent: within(1.4),
  unobservedWeight: within(2.5),
  embedding: within(1.5),
  decay: { among: [0, 0.1, 1] },
};

/**
 * What each has of its own. The rounds and steps of AM-DPSGD reach well beyond its own rules, which stop too
 * early where an item has nothing but its id.
 */
const spaces: Readonly<Record<Method, SearchSpace>> = {
  'am-ssp': {
    ...common,
    rounds: within(1.5),
    targetBound: within(1.5),
    matrixShare: within(2),
    featurePull: within(1.5),
    tokenRidge: within(3),
    innerSteps: within(2),
    learningRate: within(4),
  },
  'am-dpsgd': {
    ...common,
    rounds: { among: [14, 20, 30] },
    stepsPerRound: { among: [1, 2, 3] },
    gradientBound: within(3),
    learningRate: { among: [0.02, 0.04, 0.07, 0.1] },
  },
};

/**
 * Both with the paper's two-layer encoder and with one vector a token, given features; and with one vector an
 * item and nothing else. From sums one layer can be solved for exactly. Plain gradient descent is left out of
 * both: of 1,000 people it diverges from a step of 0.01 on, and at 0.001 RMSE is 0.943 with gradients (0.917
 * with Adam) and 0.951 with sums (0.899).
 */
const forms = [
  { name: 'one layer', features: true, encoder: 'linear', bySums: ['exact', 'adam'] },
  { name: 'two layers', features: true, encoder: 'bag', bySums: ['adam'] },
  { name: 'ids only', features: false, encoder: 'linear', bySums: ['exact', 'adam'] },
] as const;
const nameOf = (method: Method, form: string) => `${method}, ${form}`;

/** Every line with the same number of candidates, final runs and runs. */
function contestantsWith(
  effort: Pick<Contestant, 'trials' | 'finalists' | 'finalRuns'>,
  hasTwoLayers: boolean,
): Contestant[] {
  const asked = forms.filter(({ encoder }) => hasTwoLayers || encoder === 'linear');
  return [
    ...methods.flatMap((id) =>
      asked.map(({ name, features, encoder, bySums }) => ({
        id,
        name: nameOf(id, name),
        features,
        settings: { encoder, ...(id === 'am-dpsgd' && { samplingRate: 1 }) },
        search: { ...spaces[id], optimizer: { among: id === 'am-ssp' ? bySums : ['adam'] } },
        ...effort,
      })),
    ),
    { id: 'dp-cmf', features: true, ...effort },
  ];
}

interface Part {
  readonly name: string;
  /** Everyone unless given. */
  readonly people?: number;
  readonly asIfPeople?: number;
  readonly epsilons: readonly number[];
  readonly hasTwoLayers: boolean;
}

/**
 * Everyone with one layer, and every sixth person with two as well: gradients through two layers take a
 * second of a processor for each step of 1,000 people, so that one training of everyone would take minutes.
 */
function partsOf(quick: boolean): readonly Part[] {
  const some: Part = {
    name: '1,000 people, noise of 69,878',
    people: 1000,
    asIfPeople: papersPeople,
    epsilons: quick ? [5] : [1, 5],
    hasTwoLayers: true,
  };
  if (quick) return [some];
  const everyone = { epsilons: [1, 5, 20], hasTwoLayers: false };
  return [
    some,
    { ...everyone, name: '6,040 people' },
    { ...everyone, name: '6,040 people, noise of 69,878', asIfPeople: papersPeople },
  ];
}

/**
 * Krichene et al. 2024, §4.2, Figures 1 and 2: sums against gradients with the same number of candidates for
 * every line.
 */
export const sumsOrGradients: Experiment = {
  id: 'am-ssp/against-dpsgd',
  title: 'AM-SSP against AM-DPSGD with equal search effort, features and encoders',
  paper: 'Krichene et al. 2024, Figures 1 and 2',
  needs: ['ml-1m', 'movie-features'],
  minutes: 55,
  quickMinutes: 9,
  async run(context) {
    const { quick } = context;
    const effort = quick
      ? { trials: 3, finalists: 1, finalRuns: 0 }
      : { trials: 8, finalists: 2, finalRuns: 1 };
    const repeats = quick ? 2 : 5;
    const measure = async (what: string, load: typeof ml1mRatings, part: Part) => {
      const { name, people, asIfPeople, epsilons, hasTwoLayers } = part;
      const lines = epsilons.flatMap((epsilon) =>
        contestantsWith(effort, hasTwoLayers).map((contestant) => ({
          contestant,
          epsilon,
          ...(asIfPeople !== undefined && { asIfPeople }),
        })),
      );
      const rows = await measureTogether(context, await load(context, people), lines, repeats);
      checkEqualSearch(rows);
      return { what: `${what}, ${name}`, rows, part };
    };
    // All at a time: the last trainings of one part would leave threads idle.
    const measured = await Promise.all(
      partsOf(quick).flatMap((part) => [
        measure('ratings', ml1mRatings, part),
        measure('likes', ml1mLikes, part),
      ]),
    );
    return {
      findings: measured.flatMap(({ what, rows, part }) => findings(what, rows, part)),
      guarantee: `${effort.trials} candidates for every line${effort.finalists > 1 ? `, ${effort.finalRuns} more run of the best ${effort.finalists} and of the method’s own rules` : ''}, chosen on validation; ${repeats} runs on test. Where there are two encoders with features, the one that is better on validation counts. ${simulations}`,
      sections: measured.flatMap(({ what, rows }) =>
        frontierSections(`${what[0].toUpperCase()}${what.slice(1)}`, rows[0].metric, rows),
      ),
    };
  },
};

/** @throws RangeError where one line had more candidates to choose from than another */
export function checkEqualSearch(rows: readonly Pick<Measured, 'name' | 'tuned'>[]): void {
  const counts = rows.map(({ name, tuned }) => [name, tuned?.candidates ?? 1] as const);
  const other = counts.find(([, count]) => count !== counts[0][1]);
  if (other !== undefined)
    throw new RangeError(
      `${counts[0][0]} was chosen among ${counts[0][1]} candidates, ${other[0]} among ${other[1]}.`,
    );
}

/** The line with features; of two encoders the one that is better on validation. */
function withFeatures(rows: readonly Measured[], method: Method, epsilon: number, part: Part): Measured {
  const one = rowOf(rows, nameOf(method, 'one layer'), epsilon);
  if (!part.hasTwoLayers) return one;
  const two = rowOf(rows, nameOf(method, 'two layers'), epsilon);
  return signOf(one.metric) * (two.tuned!.validation - one.tuned!.validation) > 0 ? two : one;
}

function findings(what: string, rows: readonly Measured[], part: Part): Finding[] {
  return part.epsilons.flatMap((epsilon) => {
    const [sums, gradients] = methods.map((method) => withFeatures(rows, method, epsilon, part));
    const ids = (method: Method) => rowOf(rows, nameOf(method, 'ids only'), epsilon);
    const { metric } = sums;
    const cmf = rowOf(rows, 'dp-cmf', epsilon);
    const published =
      metric === 'rmse' && part.people === undefined && part.asIfPeople !== undefined
        ? publishedGains.get(epsilon)
        : undefined;
    const chosen = `${sums.name} and ${gradients.name}`;
    const at = `${what}, ε = ${epsilon}`;
    return [
      ahead(`${at}: AM-SSP beats AM-DPSGD`, sums, gradients, metric, { note: chosen }),
      ahead(`${at}: AM-SSP beats DP-CMF`, sums, cmf, metric, {
        ...(published !== undefined && { published, note: 'published for ML-10M' }),
      }),
      ahead(`${at}: features help AM-SSP`, sums, ids('am-ssp'), metric),
      metric === 'rmse'
        ? ahead(`${at}: features help AM-DPSGD`, gradients, ids('am-dpsgd'), metric)
        : ahead(`${at}: features hurt AM-DPSGD`, ids('am-dpsgd'), gradients, metric),
      ...(part.hasTwoLayers ? methods : []).map((method) =>
        ahead(
          `${at}: two layers beat one, ${method}`,
          rowOf(rows, nameOf(method, 'two layers'), epsilon),
          rowOf(rows, nameOf(method, 'one layer'), epsilon),
          metric,
        ),
      ),
    ];
  });
}
