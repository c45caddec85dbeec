/**
 * What one release did, as plain data. Accountants interpret events; an accountant that does not know a
 * kind refuses it. Kinds are never removed and never change meaning.
 *
 * Every sensitivity and noise is in the unit of the released statistic; their ratio is what costs privacy.
 */
export type PrivacyEvent =
  /** Gaussian noise, or discrete Gaussian on a grid (see `gridSigma`): `noise` is the standard deviation. */
  | {
      readonly kind: 'gaussian';
      readonly sensitivity: number;
      readonly noise: number;
      /** σ in grid steps when the noise is discrete; absent for the ideal continuous law. */
      readonly gridSigma?: number;
    }
  /**
   * Laplace (continuous or discrete) against an L1 sensitivity: `noise` is the scale. Pure
   * ε = sensitivity/noise.
   */
  | {
      readonly kind: 'laplace';
      readonly sensitivity: number;
      readonly noise: number;
      /** Scale in grid steps when the noise is discrete; absent for the ideal continuous law. */
      readonly gridScale?: number;
    }
  /**
   * K-norm mechanism with the L2 ball: density ∝ exp(−‖z‖₂/noise) in `dimension` dimensions. Pure
   * ε = sensitivity/noise.
   */
  | {
      readonly kind: 'k-norm';
      readonly sensitivity: number;
      readonly noise: number;
      readonly dimension: number;
    }
  /** Any other mechanism that is pure ε-DP (randomised response, exponential mechanism, report-noisy-max). */
  | { readonly kind: 'pure'; readonly mechanism: string; readonly epsilon: number }
  /** Gaussian on a Poisson sample: every unit is in with probability `rate`, independently. */
  | {
      readonly kind: 'poisson-sampled-gaussian';
      readonly rate: number;
      readonly sensitivity: number;
      readonly noise: number;
      readonly gridSigma?: number;
    }
  /** The same event `count` times, adaptively. */
  | { readonly kind: 'repeated'; readonly event: PrivacyEvent; readonly count: number }
  /** Several events on the same data, adaptively. */
  | { readonly kind: 'composed'; readonly events: readonly PrivacyEvent[] }
  /**
   * Sampler inexactness: total-variation distance charged to δ (already multiplied by the number of draws).
   */
  | { readonly kind: 'sampler-distance'; readonly totalVariation: number }
  /** Something was released without protection. No finite ε. */
  | { readonly kind: 'non-private'; readonly because: string };
