import type { FeatureSource } from '@hushrec/ratings';
import { EmbeddingBagEncoder } from './embedding-bag-encoder.js';
import { bagsOf, type ItemEncoder } from './item-encoder.js';
import { LinearEncoder } from './linear-encoder.js';
import { normalDraws } from './normal-draws.js';
import { adam, gradientDescent, type Optimizer } from './optimizer.js';

/** The encoder that `encoderSettings` describe, with random parameters. */
export function makeEncoder(
  features: readonly FeatureSource[],
  itemCount: number,
  settings: {
    readonly encoder: string;
    readonly itemIds: boolean;
    readonly rank: number;
    readonly embedding: number;
    readonly initialStdDev: number;
  },
  random: () => number,
): ItemEncoder {
  const bags = bagsOf(features, itemCount, settings.itemIds);
  const normal = normalDraws(random);
  return settings.encoder === 'linear'
    ? new LinearEncoder(bags, settings.rank, settings.initialStdDev, normal)
    : new EmbeddingBagEncoder(bags, settings.rank, settings.embedding, settings.initialStdDev, normal);
}

export function makeOptimizer(
  settings: { readonly optimizer: string; readonly learningRate: number; readonly decay: number },
  size: number,
): Optimizer {
  return settings.optimizer === 'sgd'
    ? gradientDescent(settings.learningRate)
    : adam(settings.learningRate, size, settings.decay);
}
