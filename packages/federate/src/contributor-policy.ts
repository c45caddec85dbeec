import { isWeakDelta } from '@hushrec/model/words';
import type { RatingMatrix } from '@hushrec/ratings';
import type { Trusted } from './card.js';
import { bytesOf, type Charter } from './charter.js';
import { CharterError } from './federation-errors.js';

/** What the owner of the ratings allows. */
export interface ContributorPolicy {
  /** Those who are trusted to be honest, by card or key: at least as many of the charter's as it needs. */
  readonly trusted: readonly Trusted[];
  /**
   * Most ε: of all runs together that this folder is charged with, or of this run where it is charged
   * elsewhere.
   */
  readonly mostEpsilon: number;
  /** Most δ of one run; 1/(10 × the charter's most people) when absent, and any in a simulation. */
  readonly mostDelta?: number;
  readonly mostBytes?: number;
  /** One person's ratings: what is handed in is measured against the sensitivity. Or many people's. */
  readonly kept: 'one-person' | 'many-people';
}

/**
 * Refuses a charter that asks for more ε than its owner allows for one run. @throws CharterError
 */
export function checkEpsilon({ plan }: Charter, mostEpsilon: number): void {
  if (!(plan.epsilon <= mostEpsilon))
    throw new CharterError(`it asks for ε = ${plan.epsilon}, and you allow ${mostEpsilon}.`, allowMore);
}

/**
 * Refuses a charter that asks for more δ, or for more bytes, than its owner allows. @throws CharterError
 */
export function checkDeltaAndBytes(
  charter: Charter,
  { mostDelta, mostBytes }: Pick<ContributorPolicy, 'mostDelta' | 'mostBytes'>,
): void {
  const { plan, mostPeople, simulation } = charter;
  if (mostDelta !== undefined && !(plan.delta <= mostDelta))
    throw new CharterError(`it asks for δ = ${plan.delta}, and you allow ${mostDelta}.`, allowMore);
  if (mostDelta === undefined && !simulation && isWeakDelta(plan.delta, mostPeople))
    throw new CharterError(
      `its δ = ${plan.delta} is above 1/(10 × ${mostPeople} people): publishing one person whole would be within it.`,
      'Do not take part, or say which δ you allow. Nothing was charged.',
    );
  const { sent } = bytesOf(charter);
  if (mostBytes !== undefined && sent > mostBytes)
    throw new CharterError(`it would send ${sent} bytes, and you allow ${mostBytes}.`, allowMore);
}

const allowMore = 'Allow more, or do not take part. Nothing was charged.';

/**
 * Refuses a charter about other items, another scale or other people than these ratings. @throws CharterError
 */
export function checkRatings(
  { catalogue }: Charter,
  ratings: RatingMatrix,
  { kept }: ContributorPolicy,
): void {
  const { itemCount, scale } = catalogue;
  if (ratings.itemCount !== itemCount)
    throw new CharterError(
      `its catalogue has ${itemCount} items and these ratings are about ${ratings.itemCount}.`,
      'Map the ratings to the items of the charter first.',
    );
  if (ratings.scale.min !== scale.min || ratings.scale.max !== scale.max)
    throw new CharterError(
      `its ratings go from ${scale.min} to ${scale.max}, these from ${ratings.scale.min} to ${ratings.scale.max}.`,
      'Import them with the scale of the charter.',
    );
  if (kept === 'one-person' && ratings.userCount !== 1)
    throw new CharterError(
      `one person takes part here, and there are ${ratings.userCount}.`,
      'Say that many people are kept.',
    );
}
