import { type DeltaInput, type EpsilonInput, gaussianEpsilon, muFor } from '@hushrec/privacy';
import { type CountedCharge, type EpsilonOfEvent, totalCost } from './charge.js';

/** A budget, what is spent of it, and how many equal runs are to come. */
export interface EqualRuns {
  readonly runs: number;
  readonly epsilon: EpsilonInput;
  readonly delta: DeltaInput;
  readonly spent: readonly CountedCharge[];
  /** Further budgets that the runs must stay within. */
  readonly also?: readonly Pick<EqualRuns, 'epsilon' | 'delta' | 'spent'>[];
  readonly accountant: EpsilonOfEvent;
}

/**
 * The largest ε, at the budget's δ, that each of several equal runs with Gaussian noise may have so that all
 * of them together with what is spent stay within the budget; rounded down to four digits, and the rounded
 * value is what was checked. 0 where nothing fits. Gaussian runs compose by μ² = Σμᵢ² (Dong, Roth and Su
 * 2022), so that n runs get far more than ε/n each.
 */
export function epsilonOfEqualRuns(plan: EqualRuns): number {
  const { runs, epsilon, delta, also = [], accountant } = plan;
  if (!Number.isInteger(runs) || runs < 1)
    throw new RangeError(`The number of runs is ${runs}; expected a whole number ≥ 1.`);
  if (!(epsilon > 0)) return 0;
  const fits = (mu: number) => {
    const event = { kind: 'gaussian', sensitivity: 1, noise: 1 / mu } as const;
    const more = { charge: { kind: 'event', event } as const, count: runs };
    return [plan, ...also].every(
      (each) => totalCost([...each.spent, more], each.delta, accountant).epsilon <= each.epsilon,
    );
  };
  let low = 0;
  let high = muFor(epsilon, delta) / Math.sqrt(runs);
  for (let halvings = 0; halvings < 40; halvings++) {
    const middle = (low + high) / 2;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  if (low === 0) return 0;
  for (let units = Math.ceil(gaussianEpsilon(low, delta) * 1e4); units > 0; units--)
    if (fits(muFor(units / 1e4, delta))) return units / 1e4;
  return 0;
}
