/**
 * Numbers that must not be mixed up. Each has a brand and a constructor that refuses what it cannot be.
 */
declare const unit: unique symbol;
type Unit<Name extends string> = { readonly [unit]: Name };

/** Privacy-loss bound ε ≥ 0 (nats). `Infinity` means no guarantee. */
export type Epsilon = number & Unit<'epsilon'>;
/** Probability δ ∈ [0, 1) with which the ε bound may fail. */
export type Delta = number & Unit<'delta'>;
/** An ε as callers give it: a plain number, or a checked one. A `Delta` is refused by its type. */
export type EpsilonInput = number & { readonly [unit]?: 'epsilon' };

/** A δ as callers give it: a plain number, or a checked one. An `Epsilon` is refused by its type. */
export type DeltaInput = number & { readonly [unit]?: 'delta' };

/** A privacy parameter outside its range. The message says what, what was expected, and what to do. */
export class PrivacyParameterError extends RangeError {
  override readonly name = 'PrivacyParameterError';
  readonly kind = 'usage';
  readonly parameter: string;
  readonly value: number;
  constructor(parameter: string, value: number, expected: string, advice: string) {
    // Callers without types may give anything: "1" must not read like 1.
    super(`${parameter} is ${shownValue(value)}; expected ${expected}. ${advice}`);
    this.parameter = parameter;
    this.value = value;
  }
}

function shownValue(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return `${typeof value === 'bigint' ? value : JSON.stringify(value)} (${typeof value})`;
}

export function epsilon(value: number): Epsilon {
  if (!isAtLeast(value, 0))
    throw new PrivacyParameterError('epsilon', value, 'a number ≥ 0', 'Usual values: 0.1 to 10.');
  return value as Epsilon;
}

/**
 * ε that noise is made for: a number above 0, or exactly Infinity for a run without noise. Anything else is
 * refused, `'1'`, `true` and `[1]` too: comparisons would take them for numbers, and `Number.isFinite` for
 * runs without privacy.
 *
 * @throws PrivacyParameterError
 */
export function targetEpsilon(value: number): Epsilon {
  if (!isAtLeast(value, Number.MIN_VALUE))
    throw new PrivacyParameterError('epsilon', value, 'a number > 0', 'Usual values: 0.1 to 10.');
  return value as Epsilon;
}

/** False for NaN, and for whatever is no number at run time. */
function isAtLeast(value: unknown, least: number): boolean {
  return typeof value === 'number' && value >= least;
}

/** A bound that fails for one person in a hundred is none; and ε and δ that were exchanged end up here. */
const mostPromisedDelta = 0.01;

/**
 * δ of something that is promised or granted: far below that of an event that is merely described.
 *
 * @throws PrivacyParameterError above 0.01
 */
export function promisedDelta(value: number): Delta {
  if (!isAtLeast(value, 0) || value > mostPromisedDelta)
    throw new PrivacyParameterError(
      'delta',
      value,
      `a number from 0 to ${mostPromisedDelta}`,
      'Use less than 1 / (10 × number of people). Were ε and δ exchanged?',
    );
  return value as Delta;
}

/**
 * δ of something promised that Gaussian noise is to keep.
 *
 * @throws PrivacyParameterError at 0, and above 0.01
 */
export function promisedGaussianDelta(value: number): Delta {
  if (!isAtLeast(value, Number.MIN_VALUE))
    throw new PrivacyParameterError(
      'delta',
      value,
      'a number > 0',
      'Gaussian noise has no guarantee with δ = 0.',
    );
  return promisedDelta(value);
}

export function delta(value: number): Delta {
  if (!isAtLeast(value, 0) || value >= 1)
    throw new PrivacyParameterError(
      'delta',
      value,
      'a number in [0, 1)',
      'Use less than 1 / (10 × number of people).',
    );
  return value as Delta;
}
