import type { CertificateStatement } from './certificate.js';
import type { PublishedRun } from './published-model.js';

/**
 * What decides whether a rating is trained on under each protocol: its own person and item (`by-rating`), or
 * all ratings of its person (`by-person`). Nobody else's ratings enter either. A model that does
 * not say was not trained so.
 */
export const divisions = {
  holdout: 'by-rating',
  'k-fold': 'by-rating',
  'strong-generalization': 'by-person',
  'leave-one-out': 'by-person',
} as const;

/**
 * Why a promise of a finite ε does not cover the part of the data that was trained on, if it does not. The
 * proofs compare sums with and without one unit (a person, a rating), and know of no other change: which
 * ratings are used must depend on the unit alone. A simulation protects nobody and may use any part.
 */
export function faultInSelection(
  trainedOn: PublishedRun['trainedOn'],
  { epsilon, simulation, unit }: Pick<CertificateStatement, 'epsilon' | 'simulation' | 'unit'>,
): string | undefined {
  if (trainedOn === undefined || epsilon === null || simulation) return undefined;
  const { protocol, division, liked } = trainedOn;
  if (unit === 'rating-value' && liked !== undefined)
    return 'ratings were kept by their value (likes), so who liked what shows, and values alone are protected.';
  if (protocol === undefined && division === undefined) return undefined;
  if (
    division === undefined ||
    division !== new Map<unknown, string>(Object.entries(divisions)).get(protocol)
  )
    return `the ratings it was trained on were not chosen person by person (protocol ${protocol}), so one person changes what is used of everybody, and ε does not hold.`;
  return division === 'by-person' && unit !== 'user'
    ? `one rating changes which others of the same person are used (protocol ${protocol}), and ε is for one rating. A holdout chooses each rating by itself.`
    : undefined;
}
