import type { Experiment, ExperimentContext, Finding } from '../experiment.js';
import {
  loadMl1m,
  meanOf,
  papersPeople,
  type SweptMethod,
  type SweptRow,
  simulationNote,
  sweepMl1m,
  sweepSections,
} from './holdout-sweep.js';

interface Ablation {
  readonly id: string;
  readonly title: string;
  readonly paper: string;
  readonly minutes: number;
  readonly methods: (repeats: number) => readonly SweptMethod[];
  readonly epsilons: readonly number[];
  readonly findings: (rows: readonly SweptRow[]) => readonly Finding[];
}

/** An experiment that compares settings of user-level methods on ML-1M with the noise of 69,878 people. */
function ablation({ id, title, paper, minutes, methods, epsilons, findings }: Ablation): Experiment {
  return {
    id,
    title,
    paper,
    needs: ['ml-1m', 'movie-features'],
    minutes,
    async run(context: ExperimentContext) {
      const data = await loadMl1m(context);
      const rows = await sweepMl1m(context, data, methods(context.quick ? 1 : 5), epsilons, papersPeople);
      return {
        findings: findings(rows),
        guarantee: simulationNote,
        sections: sweepSections(title, simulationNote, rows),
      };
    },
  };
}

function difference(
  rows: readonly SweptRow[],
  what: string,
  better: string,
  worse: string,
  epsilon: number,
): Finding {
  const measured = meanOf(rows, better, epsilon) - meanOf(rows, worse, epsilon);
  return { what: `${what}, ε = ${epsilon} (RMSE difference)`, measured, holds: measured < 0 };
}

/** Chien et al. 2021, §6.3: without the projection the private model is useless. */
export const psdProjection = ablation({
  id: 'dpals/psd-projection',
  title: 'Projection of noisy item matrices, on and off',
  paper: 'Chien et al. 2021, §6.3',
  minutes: 0.3,
  epsilons: [1, 10],
  methods: (repeats) => [
    { id: 'dpals', name: 'projected', repeats },
    { id: 'dpals', name: 'not projected', settings: { project: false }, repeats },
  ],
  findings: (rows) =>
    [1, 10].map((epsilon) => difference(rows, 'projecting helps', 'projected', 'not projected', epsilon)),
});

/** Chien et al. 2021, Figure 5: ways of choosing people's contributions, and the share of items that get vectors. */
export const samplingStrategies = ablation({
  id: 'dpals/sampling',
  title: 'Which ratings contribute, and which items get vectors',
  paper: 'Chien et al. 2021, Figure 5',
  minutes: 0.6,
  epsilons: [10],
  methods: (repeats) =>
    ['adaptive', 'tail', 'uniform'].flatMap((contribution) =>
      [0.2, 0.5, 1].map((itemFraction) => ({
        id: 'dpals',
        name: `${contribution}, ${itemFraction * 100} % of items`,
        settings: { contribution, itemFraction, contributionLimit: 50 },
        repeats,
      })),
    ),
  findings: (rows) => [
    difference(rows, 'tail beats uniform sampling', 'tail, 100 % of items', 'uniform, 100 % of items', 10),
    difference(
      rows,
      'adaptive weights beat uniform sampling',
      'adaptive, 100 % of items',
      'uniform, 100 % of items',
      10,
    ),
    difference(
      rows,
      'with uniform sampling, leaving rare items out helps',
      'uniform, 50 % of items',
      'uniform, 100 % of items',
      10,
    ),
  ],
});

/** Krichene et al. 2024, Figures 4 and 8: one noise draw for all steps against fresh noise. */
export const resamplings = ablation({
  id: 'am-ssp/resamplings',
  title: 'How often a round draws fresh noise',
  paper: 'Krichene et al. 2024, Figures 4 and 8',
  minutes: 15,
  epsilons: [1, 20],
  methods: (repeats) =>
    [1, 2, 4, 16].map((draws) => ({
      id: 'am-ssp',
      name: draws === 1 ? '1 draw (SSP-c)' : `${draws} draws`,
      settings: { resamplings: draws, optimizer: 'adam' },
      repeats,
    })),
  findings: (rows) => [
    ...[1, 20].map((epsilon) => difference(rows, 'one draw beats 16', '1 draw (SSP-c)', '16 draws', epsilon)),
    {
      what: 'the gap is larger at low ε',
      measured:
        meanOf(rows, '16 draws', 1) -
        meanOf(rows, '1 draw (SSP-c)', 1) -
        (meanOf(rows, '16 draws', 20) - meanOf(rows, '1 draw (SSP-c)', 20)),
      holds:
        meanOf(rows, '16 draws', 1) - meanOf(rows, '1 draw (SSP-c)', 1) >
        meanOf(rows, '16 draws', 20) - meanOf(rows, '1 draw (SSP-c)', 20),
    },
  ],
});

const sspSteps = { optimizer: 'adam', innerSteps: 16, learningRate: 0.03 };
/** SSP-i may do better with another step size; it gets the best of these, judged by the test ratings themselves. */
const freshRates = [0.01, 0.03, 0.1];
const freshName = (rate: number) => `SSP-i, 16 steps, rate ${rate}`;

/** Krichene et al. 2024, §3 and Figure 4: Algorithm 3 (SSP-i, fresh noise in each of 16 steps) against Algorithm 2 (SSP-c, noised once). */
export const freshNoise = ablation({
  id: 'am-ssp/fresh-noise',
  title: 'SSP-c against SSP-i at equal ε',
  paper: 'Krichene et al. 2024, Figure 4',
  minutes: 8,
  epsilons: [1, 5, 20],
  methods: (repeats) => [
    { id: 'am-ssp', name: 'SSP-c, solved exactly', repeats },
    { id: 'am-ssp', name: 'SSP-c, 16 steps', settings: sspSteps, repeats },
    ...freshRates.map((learningRate) => ({
      id: 'am-ssp',
      name: freshName(learningRate),
      settings: { ...sspSteps, learningRate, resamplings: 16 },
      repeats,
    })),
  ],
  findings: (rows) =>
    [1, 5, 20].map((epsilon) => {
      const fresh = freshRates.map((rate) => meanOf(rows, freshName(rate), epsilon));
      const once = meanOf(rows, 'SSP-c, 16 steps', epsilon);
      return {
        what: `SSP-c beats SSP-i with as many steps, ε = ${epsilon} (RMSE difference)`,
        measured: once - Math.min(...fresh),
        holds: once < Math.min(...fresh),
        note: `SSP-c ${once.toFixed(4)}, solved exactly ${meanOf(rows, 'SSP-c, solved exactly', epsilon).toFixed(4)}; SSP-i at rates ${freshRates.join(', ')}: ${fresh.map((value) => value.toFixed(4)).join(', ')}`,
      };
    }),
});

/** Curmei et al. 2023, Figure 1b, and Krichene et al. 2024, Figure 9: where on the scale of popularity each method gains. */
export const popularitySlices = ablation({
  id: 'user-level/popularity',
  title: 'Quality by popularity of the item',
  paper: 'Curmei et al. 2023, Figure 1b; Krichene et al. 2024, Figure 9',
  minutes: 0.6,
  epsilons: [1, 20],
  methods: (repeats) => [
    { id: 'als', repeats: 1 },
    {
      id: 'dpals',
      name: 'dpals, uniform sampling',
      settings: { contribution: 'uniform', contributionLimit: 100 },
      repeats,
    },
    { id: 'dpals', repeats },
    { id: 'dp-cmf', repeats },
    { id: 'am-ssp', repeats },
  ],
  findings: (rows) =>
    [1, 20].flatMap((epsilon) => [
      sliceFinding(rows, 'adaptive weights gain on rare items', 'dpals', 'dpals, uniform sampling', epsilon),
      sliceFinding(rows, 'film facts gain on rare items', 'dp-cmf', 'dpals', epsilon),
      sliceFinding(rows, 'am-ssp gains on rare items over dp-cmf', 'am-ssp', 'dp-cmf', epsilon),
    ]),
});

function sliceFinding(
  rows: readonly SweptRow[],
  what: string,
  better: string,
  worse: string,
  epsilon: number,
): Finding {
  const slices = (name: string) =>
    rows.find((row) => row.name === name && row.epsilon === epsilon)?.slices ?? [];
  const differences = slices(better).map((value, slice) => value - slices(worse)[slice]);
  const rarest = differences[0] ?? Number.NaN;
  return {
    what: `${what}, ε = ${epsilon} (RMSE difference on the rarest fifth)`,
    measured: rarest,
    holds: rarest < 0,
    note: `rarest fifth to most rated: ${differences.map((value) => value.toFixed(4)).join(', ')}`,
  };
}
