/**
 * Who is protected. Two data sets are neighbours when they differ by one unit, in the way the relation says.
 *
 * - `user`: everything one person rated.
 * - `rating-presence`: one rating exists or not (Friedman et al.: "unbounded").
 * - `rating-value`: who rated what is public, one value differs (Friedman et al.: "bounded").
 */
export type PrivacyUnit = 'user' | 'rating-presence' | 'rating-value';

/** `add-remove`: the unit is in one data set and not in the other. `replace`: it has another content. */
export type Relation = 'add-remove' | 'replace';

/** The protected change, in words that can stand in a certificate. */
export function describeProtection(unit: PrivacyUnit, relation: Relation): string {
  switch (unit) {
    case 'user':
      return relation === 'add-remove'
        ? 'the presence or absence of one person with all of her data'
        : "replacing all of one person's data by anything else";
    case 'rating-presence':
      return relation === 'add-remove'
        ? 'the presence or absence of one rating'
        : 'moving one rating to another item or value';
    case 'rating-value':
      return 'the value of one rating (who rated what is not protected)';
    default:
      return unit satisfies never;
  }
}
