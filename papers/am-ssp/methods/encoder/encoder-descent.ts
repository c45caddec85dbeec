import { type FactorMatrix, zeroFactors } from '@hushrec/numerics';
import type { NoisyQuadratic } from '../noisy-quadratic.js';
import type { ItemEncoder } from './item-encoder.js';
import { LinearEncoder } from './linear-encoder.js';
import type { Optimizer } from './optimizer.js';

export interface DescentOptions {
  readonly batchItems: number;
  readonly projectRadius: boolean;
  readonly targetBound: number;
  readonly clipNorm: number;
}

/**
 * θ ← `steps` of the optimizer on F(enc_θ(X)), over all items or a random batch a step (whose gradient is
 * scaled up to all). F holds released sums only, so this is post-processing, for as many steps as one likes
 * (Krichene et al. 2024, Algorithms 3 and 5).
 */
export function descend(
  quadratic: NoisyQuadratic,
  encoder: ItemEncoder,
  optimizer: Optimizer,
  items: FactorMatrix,
  steps: number,
  { batchItems, projectRadius, targetBound, clipNorm }: DescentOptions,
  random: () => number,
): void {
  const outputs = zeroFactors(items.rowCount, items.width);
  const gradient = new Float32Array(encoder.parameters.length);
  const sampled = batchItems > 0 && batchItems < items.rowCount;
  const batch = sampled ? new Uint32Array(batchItems) : undefined;
  for (let step = 0; step < steps; step++) {
    if (batch) for (let k = 0; k < batch.length; k++) batch[k] = Math.floor(random() * items.rowCount);
    encoder.encode(items, batch);
    quadratic.gradient(items, outputs, batch);
    gradient.fill(0);
    encoder.addGradient(outputs, gradient, batch);
    if (batch) for (let at = 0; at < gradient.length; at++) gradient[at] *= items.rowCount / batch.length;
    optimizer.step(encoder.parameters, gradient);
    if (projectRadius && encoder instanceof LinearEncoder) encoder.project(targetBound / clipNorm);
  }
}
