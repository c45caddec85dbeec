import type { PrivacyEvent } from '../event.js';
import { effectiveSigma } from '../mechanisms/grid-gaussian.js';
import { PrivacyParameterError } from '../units.js';

/**
 * μ = Δ/σ of one Gaussian release. When the noise is discrete, σ² is what the rounding lemma
 * (`grid-gaussian.ts`) leaves: gridSigma² − 8 in grid steps.
 */
export function gaussianMu(
  event: Extract<PrivacyEvent, { readonly kind: 'gaussian' | 'poisson-sampled-gaussian' }>,
): number {
  const { sensitivity, noise } = event;
  if (!(sensitivity >= 0 && noise > 0))
    throw new PrivacyParameterError(
      'noise',
      noise,
      'a number > 0',
      'An event without noise is of kind non-private.',
    );
  const gridSigma = event.gridSigma;
  if (gridSigma === undefined) return sensitivity / noise;
  return (sensitivity / noise) * (gridSigma / effectiveSigma(gridSigma));
}
