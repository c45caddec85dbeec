import {
  type CalibratedPlan,
  chargedEvent,
  composedMu,
  type NumberOfRuns,
  type PrivacyEvent,
  tuningEpsilon,
} from '@hushrec/privacy';
import type { Charge } from './charge.js';

/**
 * What it costs to choose the best of several runs on the same data.
 *
 * - `every-run`: K runs of the same base, all of which count. Also right when their results are shown to
 * people.
 * - `random-stopping`: the number of runs is drawn from a law, only the best (by a private score that is part
 * of the base) is published, and the others are never looked at. Costs about as much as two or three runs,
 * however many are made (Papernot and Steinke 2022). The base must consist of Gaussian releases.
 */
export type Tuning =
  | { readonly kind: 'every-run'; readonly runs: number }
  | { readonly kind: 'random-stopping'; readonly runs: NumberOfRuns; readonly delta: number };

/** What a run will release: a plan, or the choice among several runs, each of which costs `base`. */
export type PlannedCost =
  | { readonly plan: Pick<CalibratedPlan, 'releases' | 'total'> }
  | { readonly base: PrivacyEvent; readonly tuning: Tuning };

/**
 * The charge of a run, whole, to be paid before its first release. Whatever shows, checks or charges a cost
 * has it from here: of a plan its total, stages included; of tuning that of all runs.
 */
export function costOf(planned: PlannedCost): Charge {
  if ('plan' in planned) return { kind: 'event', event: chargedEvent(planned.plan) };
  const { base, tuning } = planned;
  if (tuning.kind === 'every-run') {
    if (!Number.isInteger(tuning.runs) || tuning.runs < 1)
      throw new RangeError(`The number of runs is ${tuning.runs}; expected a whole number ≥ 1.`);
    return { kind: 'event', event: { kind: 'repeated', event: base, count: tuning.runs } };
  }
  const { runs, delta } = tuning;
  return {
    kind: 'guarantee',
    epsilon: tuningEpsilon(composedMu(base), runs, delta),
    delta,
    because: `best of a random number of runs (${runs.law}, mean ${runs.mean})`,
  };
}
