import type { Contestant } from '../measure-task.js';

/** Everyone takes part in every step, so that noise is Gaussian and can stand for a larger population. */
const everyone = { samplingRate: 1 };

/** Candidates of the search on validation, by what a training costs. */
const many = { trials: 32 };
const some = { trials: 12 };
const few = { trials: 6 };

/**
 * Every user-level method of the papers, each with the public facts it can use, and tuned on validation ratings at every
 * ε and population by itself. A first look takes each method's own rules instead, which know this data already.
 */
export function papersMethods(quick: boolean): Contestant[] {
  const methods: Contestant[] = [
    { id: 'dpals', ...many },
    { id: 'dp-cmf', name: 'dp-cmf with film facts', features: true, ...many },
    { id: 'am-ssp', name: 'am-ssp with film facts', features: true, ...many },
    { id: 'am-dpsgd', name: 'am-dpsgd with film facts', features: true, settings: everyone, ...few },
    { id: 'dp-sgd', settings: everyone, ...some },
    { id: 'dp-svd', ...some },
    { id: 'dp-fw', trials: 4, runs: 3 },
  ];
  return quick ? methods.map(({ trials: _, ...method }) => method) : methods;
}

/** The same for likes, where training and ranking take longer: fewer candidates, and fewer runs of the slow ones. */
export function papersMethodsForLikes(quick: boolean): Contestant[] {
  const effort: Readonly<Record<string, Pick<Contestant, 'trials' | 'runs'>>> = {
    'am-dpsgd': { trials: 4, runs: 5 },
    'dp-sgd': { trials: 6, runs: 5 },
    'dp-svd': { trials: 6, runs: 5 },
    'dp-fw': { trials: 3, runs: 3 },
  };
  const methods = papersMethods(true).map((method) => ({
    ...method,
    ...(effort[method.id] ?? { trials: 12 }),
  }));
  return quick ? papersMethods(true) : methods;
}

/** The same methods with one idea of their papers taken away. */
export function papersAblations(quick: boolean): Contestant[] {
  const methods: Contestant[] = [
    {
      id: 'dpals',
      name: 'dpals, uniform sampling',
      settings: { contribution: 'uniform', contributionLimit: 100 },
      ...some,
    },
    {
      id: 'am-ssp',
      name: 'am-ssp with film facts, SSP-i (16 draws)',
      features: true,
      settings: { resamplings: 16 },
      ...some,
    },
  ];
  return quick ? methods.map(({ trials: _, ...method }) => method) : methods;
}
