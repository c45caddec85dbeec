import type { DeltaInput, EpsilonInput } from '../units.js';
import { gaussianEpsilon } from './gaussian-curve.js';

/**
 * μ for a group of k people (or ratings) when one costs μ: kμ (Dong, Roth & Su 2019, Theorem 2.14), tight.
 */
export function groupMu(mu: number, size: number): number {
  return mu * size;
}

/** ε of a group of k under Gaussian DP, at the same δ. */
export function groupEpsilon(mu: number, size: number, delta: DeltaInput): number {
  return gaussianEpsilon(groupMu(mu, size), delta);
}

/** (ε, δ) of a group of k when one costs (ε, δ): (kε, δ·(e^(kε) − 1)/(e^ε − 1)) (Vadhan 2017, Lemma 2.2). */
export function groupGuarantee(
  epsilon: EpsilonInput,
  delta: DeltaInput,
  size: number,
): { readonly epsilon: EpsilonInput; readonly delta: DeltaInput } {
  const factor = epsilon === 0 ? size : Math.expm1(size * epsilon) / Math.expm1(epsilon);
  return { epsilon: size * epsilon, delta: Math.min(1, delta * factor) };
}
