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
  minutes: 3,
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
  minutes: 12,
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
      settings: { resamplings: draws },
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
