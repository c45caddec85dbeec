import type { Contestant } from '../../harness/measure-task.js';

/** Everyone takes part in every step, so that noise is Gaussian and can stand for a larger population. */
const everyone = { samplingRate: 1 };

/**
 * Candidates of the search on validation, and how often the best three of them are run again, by what a
 * training costs.
 */
const many = { trials: 24, finalRuns: 4 };
const some = { trials: 10, finalRuns: 4 };
const few = { trials: 6, finalRuns: 1 };

/**
 * Every user-level method of the papers, each with the public facts it can use, and tuned on validation
 * ratings at every ε and population by itself. A first look takes each method's own rules instead, which know
 * this data already.
 */
export function papersMethods(quick: boolean): Contestant[] {
  const methods: Contestant[] = [
    { id: 'dpals', ...many },
    { id: 'dp-cmf', name: 'dp-cmf with film facts', features: true, ...many },
    { id: 'am-ssp', name: 'am-ssp with film facts', features: true, ...many },
    { id: 'am-dpsgd', name: 'am-dpsgd with film facts', features: true, settings: everyone, ...few },
    { id: 'dp-sgd', settings: everyone, ...few },
    { id: 'dp-svd', ...few },
    { id: 'dp-fw', ...few },
  ];
  return quick ? methods.map(({ trials: _, ...method }) => method) : methods;
}

/**
 * The same for likes, where training and ranking take longer and runs differ more: fewer candidates, more
 * runs of the best.
 */
export function papersMethodsForLikes(quick: boolean): Contestant[] {
  const isCheap = ({ id }: Contestant) => /^(dpals|dp-cmf|am-ssp)$/.test(id);
  const methods = papersMethods(quick);
  if (quick) return methods;
  return methods.map((method) => ({
    ...method,
    ...(isCheap(method) ? { trials: 12, finalRuns: 6 } : { finalRuns: 2 }),
  }));
}

/** `dpals` without its adaptive weights: everybody contributes 100 ratings at most, drawn at random. */
export function uniformSampling(quick: boolean): Contestant {
  const settings = { contribution: 'uniform', contributionLimit: 100 };
  return { id: 'dpals', name: 'dpals, uniform sampling', settings, ...(!quick && some) };
}
