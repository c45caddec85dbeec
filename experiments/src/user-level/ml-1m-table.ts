import type { Experiment, Finding } from '../experiment.js';
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

/** Gradient methods take everyone in every step, so that their noise is Gaussian and can stand for a larger population. */
const everyone = { samplingRate: 1 };

function methods(quick: boolean): SweptMethod[] {
  const many = quick ? 1 : 10;
  const few = quick ? 1 : 3;
  return [
    { id: 'als', repeats: 1 },
    { id: 'global-effects', repeats: 1 },
    { id: 'item-average', repeats: 1 },
    { id: 'dpals', repeats: many },
    {
      id: 'dpals',
      name: 'dpals, uniform sampling',
      settings: { contribution: 'uniform', contributionLimit: 100 },
      repeats: few,
    },
    { id: 'dp-cmf', repeats: many },
    { id: 'am-ssp', repeats: many },
    { id: 'am-ssp', name: 'am-ssp, SSP-i (16 draws)', settings: { resamplings: 16 }, repeats: few },
    { id: 'am-dpsgd', settings: everyone, repeats: few },
    { id: 'dp-sgd', settings: everyone, repeats: few },
    { id: 'dp-svd', settings: { rank: 4, rowBound: 5, userRidge: 60 }, repeats: few },
    { id: 'dp-fw', settings: { rounds: 4, rowBound: 5, userRidge: 60 }, repeats: few },
  ];
}

/** Every user-level method on ML-1M, at its own size and with the noise of ML-10M's population. */
export const ml1mTable: Experiment = {
  id: 'user-level/ml-1m',
  title: 'User-level private methods on ML-1M',
  paper: 'Chien et al. 2021; Curmei et al. 2023; Krichene et al. 2024 (on ML-10M there)',
  needs: ['ml-1m', 'movie-features'],
  minutes: 50,
  async run(context) {
    const data = await loadMl1m(context);
    const epsilons = context.quick ? [1, 5, 20] : [1, 5, 10, 20];
    const own = await sweepMl1m(context, data, methods(context.quick), epsilons);
    const large = await sweepMl1m(
      context,
      data,
      methods(context.quick).filter(({ id }) => !['als', 'global-effects', 'item-average'].includes(id)),
      epsilons,
      papersPeople,
    );
    return {
      findings: [...orderings(large, epsilons), ...prototype(large)],
      guarantee: simulationNote,
      sections: [
        ...sweepSections('ML-1M at its own size', 'Noise for 6,040 people.', own),
        ...sweepSections(
          'ML-1M with the noise of 69,878 people',
          'The per-person budget is multiplied by 69,878/6,040.',
          large,
        ),
      ],
    };
  },
};

/** What the papers say about the order of methods, at the population they report on. */
function orderings(rows: readonly SweptRow[], epsilons: readonly number[]): Finding[] {
  const compare = (
    what: string,
    better: string,
    worse: string,
    at: readonly number[],
    slack = 0,
  ): Finding => {
    const differences = at.map((epsilon) => meanOf(rows, better, epsilon) - meanOf(rows, worse, epsilon));
    return {
      what,
      measured: Math.max(...differences),
      holds: differences.every((difference) => difference <= slack),
      note: `RMSE difference at ε = ${at.join(', ')}: ${differences.map((d) => d.toFixed(4)).join(', ')}; the largest is shown`,
    };
  };
  const low = epsilons.filter((epsilon) => epsilon <= 5);
  return [
    compare('dpals: adaptive weights beat uniform sampling', 'dpals', 'dpals, uniform sampling', epsilons),
    compare('dp-cmf with film facts beats dpals at ε ≤ 5', 'dp-cmf', 'dpals', low),
    compare('am-ssp at least equals dp-cmf (within 0.002)', 'am-ssp', 'dp-cmf', epsilons, 0.002),
    compare('SSP-c beats SSP-i at equal ε', 'am-ssp', 'am-ssp, SSP-i (16 draws)', epsilons),
    compare('dpals beats am-dpsgd', 'dpals', 'am-dpsgd', epsilons),
    compare('am-dpsgd beats dp-sgd', 'am-dpsgd', 'dp-sgd', epsilons),
    compare('dpals beats dp-fw', 'dpals', 'dp-fw', epsilons),
    compare('dpals beats dp-svd', 'dpals', 'dp-svd', epsilons),
  ];
}

/** A corrected prototype without personal intercepts reached these before; `dpals` should not be worse. */
function prototype(rows: readonly SweptRow[]): Finding[] {
  return [
    [1, 0.922],
    [5, 0.889],
    [20, 0.878],
  ].map(([epsilon, reached]) => {
    const measured = meanOf(rows, 'dpals', epsilon!);
    return {
      what: `dpals with the noise of 69,878 people, ε = ${epsilon}: at most ${reached}`,
      measured,
      holds: measured <= reached!,
    };
  });
}
