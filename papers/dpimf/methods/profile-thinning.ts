import type { Csr } from '@hushrec/numerics';
import { cellCoin } from './cell-coin.js';
import { optimalWeight } from './importance-weights.js';
import type { GridProfiles } from './profile-bounds.js';

/** The largest whole weight per profile with w‖p‖₁ ≤ C₁, at most 1024. */
export function wholeWeights(fixed: GridProfiles, l1: number): Float64Array {
  return profileNorms(fixed).map((norm) =>
    Math.min(1024, Math.max(1, Math.floor(norm > 0 ? l1 / norm : 1024))),
  );
}

/** Optimal weights per profile for a target loss, at most 1024. */
export function optimalWeights(fixed: GridProfiles, l1: number, target: number): Float64Array {
  if (!Number.isFinite(target)) return new Float64Array(fixed.units.length / fixed.width).fill(1);
  return profileNorms(fixed).map((norm) =>
    Math.min(1024, optimalWeight(Math.min(1, norm / l1) * target, target)),
  );
}

/** Per entry: its weight with probability 1/weight, else 0. */
export function thinned(positives: Csr, coins: number, weightOf: Float64Array): Float64Array {
  const weights = new Float64Array(positives.indices.length);
  for (let row = 0; row < positives.rowCount; row++) {
    for (let at = positives.offsets[row]; at < positives.offsets[row + 1]; at++) {
      const weight = weightOf[positives.indices[at]];
      weights[at] = cellCoin(coins, row, positives.indices[at]) * weight < 1 ? weight : 0;
    }
  }
  return weights;
}

function profileNorms({ units, width, step }: GridProfiles): Float64Array {
  const norms = new Float64Array(units.length / width);
  for (let at = 0; at < units.length; at++) norms[Math.floor(at / width)] += Math.abs(units[at]) * step;
  return norms;
}
