import { ahead, shown, spreadOfFinding, testOf, testText } from '../../harness/compare-rows.js';
import type { Finding } from '../../harness/experiment.js';
import { type Measured, rowOf } from '../../harness/measure-task.js';
import { ml1mLikes } from '../../harness/tasks.js';
import { ablation, aheadAt } from './on-ml-1m.js';

/** Chien et al. 2021, §6.3: without the projection the private model is useless. */
export const psdProjection = ablation({
  id: 'dpals/psd-projection',
  title: 'Projection of noisy item matrices, on and off',
  paper: 'Chien et al. 2021, §6.3',
  minutes: 0.6,
  quickMinutes: 0.2,
  epsilons: [1, 10],
  contestants: [
    { id: 'dpals', name: 'projected' },
    { id: 'dpals', name: 'not projected', settings: { project: false } },
    { id: 'item-average' },
  ],
  findings: (rows) =>
    [1, 10].flatMap((epsilon) => [
      aheadAt(rows, 'projecting helps', 'projected', 'not projected', epsilon),
      ahead(
        `ε = ${epsilon}: without the projection dpals is worse than item averages without privacy`,
        rowOf(rows, 'item-average', null),
        rowOf(rows, 'not projected', epsilon),
        'rmse',
        { note: 'what “terrible performance” is taken to be' },
      ),
    ]),
});

/**
 * Chien et al. 2021, Figure 5: ways of choosing people's contributions, and the share of items that get
 * vectors.
 */
export const samplingStrategies = ablation({
  id: 'dpals/sampling',
  title: 'Which ratings contribute, and which items get vectors',
  paper: 'Chien et al. 2021, Figure 5',
  minutes: 1.2,
  quickMinutes: 0.5,
  epsilons: [10],
  contestants: ['adaptive', 'tail', 'uniform'].flatMap((contribution) =>
    [0.2, 0.5, 1].map((itemFraction) => ({
      id: 'dpals',
      name: `${contribution}, ${itemFraction * 100} % of items`,
      settings: { contribution, itemFraction, contributionLimit: 50 },
    })),
  ),
  findings: (rows) => {
    const uniform = 'uniform, 100 % of items';
    return [
      aheadAt(rows, 'tail beats uniform sampling', 'tail, 100 % of items', uniform, 10, {
        published: 0.016,
        note: 'published for ML-10M, rank 128: 0.870 and 0.854',
      }),
      aheadAt(rows, 'adaptive weights beat uniform sampling', 'adaptive, 100 % of items', uniform, 10),
      aheadAt(
        rows,
        'with uniform sampling, leaving rare items out helps',
        'uniform, 50 % of items',
        uniform,
        10,
      ),
    ];
  },
});

const drawnOnce = '1 draw (SSP-c)';
const draws = [1, 2, 4, 16].map((count) => ({
  id: 'am-ssp',
  name: count === 1 ? drawnOnce : `${count} draws`,
  settings: { resamplings: count, optimizer: 'adam' },
  features: true,
}));

function drawFindings(rows: readonly Measured[]): Finding[] {
  const gap = (epsilon: number) => aheadAt(rows, 'one draw beats 16', drawnOnce, '16 draws', epsilon);
  const [low, high] = [gap(1), gap(20)];
  return [
    low,
    high,
    ...[1, 20].map((epsilon): Finding => {
      const means = draws.map(({ name }) => rowOf(rows, name, epsilon));
      const steps = means.slice(1).map((next, at) => ahead('', means[at], next, next.metric).holds);
      return {
        what: `ε = ${epsilon}: the more often noise is drawn anew, the worse (steps of three that are)`,
        measured: steps.filter((step) => step === true).length,
        holds: steps.includes(null)
          ? null
          : steps.includes(false)
            ? false
            : steps.includes('tie')
              ? 'tie'
              : true,
        note: means.map((each) => `${each.name} ${shown(each)}`).join(', '),
      };
    }),
    larger('the gap between one draw and 16 is larger at ε = 1 than at ε = 20', low, high),
  ];
}

/** Whether one difference is larger than another. */
function larger(what: string, one: Finding, other: Finding): Finding {
  const measured = one.measured - other.measured;
  const tested = testOf(measured, [...spreadOfFinding(one), ...spreadOfFinding(other)]);
  return { what: `${what} (difference of gaps)`, measured, ...tested, note: testText(tested) };
}

/** Krichene et al. 2024, Figure 4: one noise draw for all steps against fresh noise. */
export const resamplings = ablation({
  id: 'am-ssp/resamplings',
  title: 'How often a round draws fresh noise',
  paper: 'Krichene et al. 2024, Figure 4',
  minutes: 30,
  quickMinutes: 1.2,
  quickRuns: 1,
  epsilons: [1, 20],
  contestants: draws,
  findings: drawFindings,
});

/** Krichene et al. 2024, Figure 8, with likes of ML-1M in place of ML-20M. */
export const resamplingsLikes = ablation({
  id: 'am-ssp/resamplings-likes',
  title: 'How often a round draws fresh noise, ranking',
  paper: 'Krichene et al. 2024, Figure 8 (on ML-20M there)',
  minutes: 30,
  quickMinutes: 1.2,
  quickRuns: 1,
  task: ml1mLikes,
  epsilons: [1, 20],
  contestants: draws,
  findings: drawFindings,
});

const sspSteps = { optimizer: 'adam', innerSteps: 16, learningRate: 0.03 };
/**
 * SSP-i may do better with another step size; it gets the best of these, judged by the test ratings
 * themselves.
 */
const freshRates = [0.01, 0.03, 0.1];
const freshName = (rate: number) => `SSP-i, 16 steps, rate ${rate}`;

/**
 * Krichene et al. 2024, §3 and Figure 4: Algorithm 2 (SSP-i, fresh noise in each of 16 steps) against
 * Algorithm 3 (SSP-c, noised once).
 */
export const freshNoise = ablation({
  id: 'am-ssp/fresh-noise',
  title: 'SSP-c against SSP-i at equal ε',
  paper: 'Krichene et al. 2024, Figure 4',
  minutes: 16,
  quickMinutes: 3,
  quickRuns: 1,
  epsilons: [1, 5, 20],
  contestants: [
    { id: 'am-ssp', name: 'SSP-c, solved exactly', features: true },
    { id: 'am-ssp', name: 'SSP-c, 16 steps', settings: sspSteps, features: true },
    ...freshRates.map((learningRate) => ({
      id: 'am-ssp',
      name: freshName(learningRate),
      settings: { ...sspSteps, learningRate, resamplings: 16 },
      features: true,
    })),
  ],
  findings: (rows) =>
    [1, 5, 20].map((epsilon) => {
      const fresh = freshRates.map((rate) => rowOf(rows, freshName(rate), epsilon));
      const best = fresh.reduce((a, b) => (b.mean < a.mean ? b : a));
      return aheadAt(rows, 'SSP-c beats SSP-i with as many steps', 'SSP-c, 16 steps', best.name, epsilon, {
        note: `SSP-c solved exactly ${rowOf(rows, 'SSP-c, solved exactly', epsilon).mean.toFixed(4)}; SSP-i at rates ${freshRates.join(', ')}: ${fresh.map(({ mean }) => mean.toFixed(4)).join(', ')}`,
      });
    }),
});

/**
 * Curmei et al. 2023, Figure 1b, and Krichene et al. 2024, Figure 9: where on the scale of popularity each
 * method gains.
 */
export const popularitySlices = ablation({
  id: 'user-level/popularity',
  title: 'Quality by popularity of the item',
  paper: 'Curmei et al. 2023, Figure 1b; Krichene et al. 2024, Figure 9',
  minutes: 5,
  quickMinutes: 0.5,
  epsilons: [1, 20],
  contestants: [
    { id: 'als' },
    {
      id: 'dpals',
      name: 'dpals, uniform sampling',
      settings: { contribution: 'uniform', contributionLimit: 100 },
    },
    { id: 'dpals' },
    { id: 'dp-cmf', features: true },
    { id: 'am-ssp', features: true },
    { id: 'am-dpsgd', features: true, settings: { samplingRate: 1 } },
  ],
  findings: (rows) =>
    [1, 20].flatMap((epsilon) => [
      onSlice(rows, 'adaptive weights gain on rare items', 'dpals', 'dpals, uniform sampling', epsilon),
      onSlice(rows, 'film facts gain on rare items', 'dp-cmf', 'dpals', epsilon),
      onSlice(rows, 'am-ssp gains on rare items over dp-cmf', 'am-ssp', 'dp-cmf', epsilon),
      onSlice(rows, 'am-ssp is better on rare items than dpals', 'am-ssp', 'dpals', epsilon),
      onSlice(rows, 'am-dpsgd is better on rare items than dpals', 'am-dpsgd', 'dpals', epsilon),
      gainsMostOnRare(rows, 'am-ssp', 'dpals', epsilon),
      gainsMostOnRare(rows, 'am-dpsgd', 'dpals', epsilon),
      onSlice(rows, 'am-ssp against am-dpsgd: better on the head', 'am-ssp', 'am-dpsgd', epsilon, 4),
      onSlice(rows, 'am-ssp against am-dpsgd: worse on the tail', 'am-dpsgd', 'am-ssp', epsilon),
    ]),
});

const fifths = ['rarest', 'second', 'third', 'fourth', 'most rated'];

/** Whether one is ahead of the other on one fifth of the items; the rarest unless given. */
function onSlice(
  rows: readonly Measured[],
  what: string,
  better: string,
  worse: string,
  epsilon: number,
  fifth = 0,
): Finding {
  const [own, other] = [rowOf(rows, better, epsilon).slices, rowOf(rows, worse, epsilon).slices];
  const gains = own.map(({ mean }, slice) => (other[slice].mean - mean).toFixed(4));
  return ahead(`ε = ${epsilon}: ${what}, ${fifths[fifth]} fifth`, own[fifth], other[fifth], 'rmse', {
    note: `gains from the rarest fifth to the most rated: ${gains.join(', ')}`,
  });
}

/** Krichene et al. 2024, E.3: they improve on the head too, but more on the tail. */
function gainsMostOnRare(rows: readonly Measured[], better: string, worse: string, epsilon: number): Finding {
  const [rarest, head] = [0, 4].map((fifth) => onSlice(rows, '', better, worse, epsilon, fifth));
  return larger(
    `ε = ${epsilon}: what ${better} gains over ${worse} is larger on the rarest fifth than on the most rated`,
    rarest,
    head,
  );
}
