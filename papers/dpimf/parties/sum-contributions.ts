import { type DpimfSettings, lossOf } from '../methods/dpimf-settings.js';
import { solveProfiles } from '../methods/profile-solve.js';
import type { PartyMessage } from './messages.js';

type Sums = Extract<PartyMessage, { kind: 'sums' }>;

/**
 * Adds the parties' noised sums and solves once. A party without data for a row adds noise to it but no bias,
 * unlike an average of solved profiles. Only sums are needed, so secure aggregation of the messages can take
 * the place of this addition without any other change. O(parties · rows · d²).
 */
export function solveSummed(contributions: readonly Sums[], settings: DpimfSettings): Float64Array {
  const added = (pick: (message: Sums) => Float64Array): Float64Array => {
    const total = new Float64Array(pick(contributions[0]).length);
    for (const contribution of contributions) {
      const values = pick(contribution);
      for (let at = 0; at < total.length; at++) total[at] += values[at];
    }
    return total;
  };
  const sums = {
    linear: added(({ linear }) => linear),
    quadratic: added(({ quadratic }) => quadratic),
    counts: added(({ counts }) => counts),
  };
  const columns = contributions.reduce((sum, contribution) => sum + contribution.columns, 0);
  return solveProfiles(
    sums,
    added(({ gramian }) => gramian),
    columns,
    lossOf(settings),
  );
}
