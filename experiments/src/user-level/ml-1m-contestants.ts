import type { Contestant } from '../measure-task.js';

/** Everyone takes part in every step, so that noise is Gaussian and can stand for a larger population. */
const everyone = { samplingRate: 1 };

/**
 * Candidates of the search on validation, by what a training costs. Noised gradients and Frank–Wolfe run with their own rules, which were
 * chosen on validation ratings of this data: a training takes twenty times as long, and none of the candidates drawn around
 * the rules of `am-dpsgd` at three ε was better on validation.
 */
const many = { trials: 24 };
const some = { trials: 10 };
const few = { trials: 4 };

/**
 * Every user-level method of the papers, each with the public facts it can use, and tuned on validation ratings at every
 * ε and population by itself. A first look takes each method's own rules instead, which know this data already.
 */
export function papersMethods(quick: boolean): Contestant[] {
  const methods: Contestant[] = [
    { id: 'dpals', ...many },
    { id: 'dp-cmf', name: 'dp-cmf with film facts', features: true, ...many },
    { id: 'am-ssp', name: 'am-ssp with film facts', features: true, ...many },
    { id: 'am-dpsgd', name: 'am-dpsgd with film facts', features: true, settings: everyone },
    { id: 'dp-sgd', settings: everyone },
    { id: 'dp-svd', ...few },
    { id: 'dp-fw', settings: { rounds: 4 }, runs: 3 },
  ];
  return quick ? methods.map(({ trials: _, ...method }) => method) : methods;
}

/** The same for likes, where training and ranking take longer: fewer candidates, and none and fewer runs for the slow methods. */
export function papersMethodsForLikes(quick: boolean): Contestant[] {
  // Four rounds of dp-fw are for ratings; its own rule takes one direction for likes.
  const methods = papersMethods(true).map((method) =>
    method.id === 'dp-fw' ? { ...method, settings: {} } : method,
  );
  if (quick) return methods;
  return methods.map((method) => ({
    ...method,
    ...(/^(dpals|dp-cmf|am-ssp)$/.test(method.id) ? { trials: 12 } : { runs: 3 }),
  }));
}

/** `dpals` without its adaptive weights: everybody contributes 100 ratings at most, drawn at random. */
export function uniformSampling(quick: boolean): Contestant {
  const settings = { contribution: 'uniform', contributionLimit: 100 };
  return { id: 'dpals', name: 'dpals, uniform sampling', settings, ...(!quick && some) };
}
