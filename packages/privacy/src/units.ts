/**
 * Numbers that must not be mixed up. Each has a brand and a constructor that refuses what it cannot be.
 */
declare const unit: unique symbol;
type Unit<Name extends string> = { readonly [unit]: Name };

/** Privacy-loss bound ε ≥ 0 (nats). `Infinity` means no guarantee. */
export type Epsilon = number & Unit<'epsilon'>;
/** Probability δ ∈ [0, 1) with which the ε bound may fail. */
export type Delta = number & Unit<'delta'>;
/** Gaussian-DP parameter μ ≥ 0: Δ₂/σ of one release, √Σμ² of several. */
export type Mu = number & Unit<'mu'>;
/** σ/Δ₂ (Gaussian) or scale/Δ (Laplace, K-norm): noise over sensitivity. Dimensionless, > 0. */
export type NoiseMultiplier = number & Unit<'noiseMultiplier'>;
/** Largest Euclidean change of a statistic between neighbouring data sets. */
export type L2Sensitivity = number & Unit<'l2Sensitivity'>;
/** Largest absolute-sum change of a statistic between neighbouring data sets. */
export type L1Sensitivity = number & Unit<'l1Sensitivity'>;

/** A privacy parameter outside its range. The message says what, what was expected, and what to do. */
export class PrivacyParameterError extends RangeError {
  override readonly name = 'PrivacyParameterError';
  readonly kind = 'usage';
  readonly parameter: string;
  readonly value: number;
  constructor(parameter: string, value: number, expected: string, advice: string) {
    super(`${parameter} is ${value}; expected ${expected}. ${advice}`);
    this.parameter = parameter;
    this.value = value;
  }
}

export function epsilon(value: number): Epsilon {
  if (!(value >= 0))
    throw new PrivacyParameterError('epsilon', value, 'a number ≥ 0', 'Usual values: 0.1 to 10.');
  return value as Epsilon;
}

export function delta(value: number): Delta {
  if (!(value >= 0 && value < 1))
    throw new PrivacyParameterError(
      'delta',
      value,
      'a number in [0, 1)',
      'Use less than 1 / (10 × number of people).',
    );
  return value as Delta;
}

export function mu(value: number): Mu {
  if (!(value >= 0))
    throw new PrivacyParameterError('mu', value, 'a number ≥ 0', 'μ is sensitivity over noise.');
  return value as Mu;
}

export function noiseMultiplier(value: number): NoiseMultiplier {
  if (!(value > 0))
    throw new PrivacyParameterError(
      'noise multiplier',
      value,
      'a number > 0',
      'A release without noise is a different method.',
    );
  return value as NoiseMultiplier;
}

export function l2Sensitivity(value: number): L2Sensitivity {
  if (!(value >= 0 && value < Infinity))
    throw new PrivacyParameterError(
      'L2 sensitivity',
      value,
      'a finite number ≥ 0',
      'Clip contributions first.',
    );
  return value as L2Sensitivity;
}

export function l1Sensitivity(value: number): L1Sensitivity {
  if (!(value >= 0 && value < Infinity))
    throw new PrivacyParameterError(
      'L1 sensitivity',
      value,
      'a finite number ≥ 0',
      'Clip contributions first.',
    );
  return value as L1Sensitivity;
}
