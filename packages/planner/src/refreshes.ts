import { type DeltaInput, type EpsilonInput, gaussianEpsilon, muFor } from '@hushrec/privacy';
import type { PlannedData } from './forecast.js';
import { type ForecastRange, forecastRange } from './forecast-range.js';
import type { ReferenceRun } from './reference-run.js';

/** Share of μ² of the first run of a plan, at least: a young model has nothing to remember. */
const youngShare = 0.1;

/**
 * What each of so many runs may take within ε: the first a tenth of μ², or an equal part where that is more,
 * the others equal parts of the rest. Gaussian runs compose by μ² = Σμᵢ². Rounded down to four digits.
 */
export function budgetOfRefreshes(
  runs: number,
  epsilon: EpsilonInput,
  delta: DeltaInput,
): { readonly first: number; readonly each: number } {
  if (!Number.isInteger(runs) || runs < 1)
    throw new RangeError(`The number of runs is ${runs}; expected a whole number ≥ 1.`);
  const mu = muFor(epsilon, delta);
  const share = Math.max(youngShare, 1 / runs);
  const down = (part: number) => Math.floor(gaussianEpsilon(mu * Math.sqrt(part), delta) * 1e4) / 1e4;
  const first = runs === 1 ? epsilon : down(share);
  return { first, each: runs === 1 ? first : down((1 - share) / (runs - 1)) };
}

/** How many runs' worth of releases a model knows in the middle of a plan: Σ keptᵏ. */
function runsRemembered(runs: number, kept: number): number {
  const there = Math.max(1, runs / 2);
  return kept < 1 ? Math.min(there, (1 - kept ** there) / (1 - kept)) : there;
}

/** What to expect of models in the middle of a plan. */
export interface ForecastOfRefreshes {
  /** ε of one training that would be as good. */
  readonly asGoodAs: number;
  readonly forecast: ForecastRange;
}

/**
 * What is known of vectors after many refreshes is as much as one training of μ² = each²·Σ keptᵏ would say,
 * and of counts, which are forgotten sooner, with kept^2.5 (`hushrec reproduce refresh/year`: daily refreshes
 * within k times the μ of a year are as good as one training of a third of it). `kept` = 0: without memory.
 */
export function forecastOfRefreshes(
  data: PlannedData,
  { each, runs, kept }: { readonly each: number; readonly runs: number; readonly kept: number },
  delta: DeltaInput,
  references: readonly ReferenceRun[],
): ForecastOfRefreshes {
  const mu = muFor(each, delta);
  const together = (left: number) => gaussianEpsilon(mu * Math.sqrt(runsRemembered(runs, left)), delta);
  const asGoodAs = together(kept);
  const { quality } = forecastRange(data, asGoodAs, delta, references);
  return {
    asGoodAs,
    forecast: { ...forecastRange(data, together(kept ** 2.5), delta, references), quality },
  };
}
