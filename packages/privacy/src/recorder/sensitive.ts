/** How a change is measured: sum of absolute values, Euclidean length, or the largest absolute value. */
export type SensitivityNorm = 'l1' | 'l2' | 'linf';

/**
 * A statistic about people that no one may see yet. The value is behind a symbol known to this package
 * alone, so that only a mechanism can turn it into something released.
 *
 * Whoever makes one proves, in a doc comment, that the declared sensitivity bounds the change of `value`
 * between any two neighbouring data sets.
 */
export interface Sensitive<T> {
  readonly [raw]: T;
  /** Bound on the change between neighbours, in the norm the mechanism needs. */
  readonly sensitivity: number;
  readonly norm: SensitivityNorm;
}

const raw: unique symbol = Symbol('raw');

/** Declares a statistic sensitive. The value stays reachable for mechanisms only. */
export function sensitive<T>(value: T, norm: SensitivityNorm, sensitivity: number): Sensitive<T> {
  if (!(sensitivity >= 0 && sensitivity < Infinity)) {
    throw new RangeError(
      `sensitivity is ${sensitivity}; expected a finite number ≥ 0. Clip contributions first.`,
    );
  }
  return { [raw]: value, norm, sensitivity };
}

/** How many numbers a statistic has: known from settings and public shape, so no secret. */
export function sensitiveLength(statistic: Sensitive<ArrayLike<number>>): number {
  return statistic[raw].length;
}

/** For mechanisms, and for tests of sensitivity, only. `recorder-parts.ts` says who may import it. */
export function revealToMechanism<T>(statistic: Sensitive<T>): T {
  return statistic[raw];
}
