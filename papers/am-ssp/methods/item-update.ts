import { SettingsError } from '@hushrec/factorize';
import type { FactorMatrix } from '@hushrec/numerics';
import type { FeatureSource } from '@hushrec/ratings';
import type { AmSspSettings } from './am-ssp.js';
import { descend } from './encoder/encoder-descent.js';
import { featureBags } from './encoder/item-encoder.js';
import { makeEncoder, makeOptimizer } from './encoder/make-encoder.js';
import { LinearFit } from './linear-fit.js';
import type { NoisyQuadratic } from './noisy-quadratic.js';

/**
 * ItemUpdate of Krichene et al. 2024, Algorithms 2 and 3: item vectors from released sums, by whatever means.
 */
export interface ItemUpdate {
  readonly parameterCount: number;
  /** Moves the encoder towards the minimum of F in at most `steps` steps, and writes its item vectors. */
  update(quadratic: NoisyQuadratic, items: FactorMatrix, steps: number): void;
}

/** Ridges of one training run, in the units of its sums. */
export interface Ridges {
  /** λ_j. */
  readonly item: Float64Array;
  /** λ of an item with count 1. */
  readonly unit: number;
}

/**
 * The part of λ_j that pulls item vectors towards 0 whatever the encoder: all of it, except where a fit uses
 * some for its features.
 */
export function ridgeTowardsZero(settings: AmSspSettings, ridge: Float64Array): Float64Array {
  const share = settings.optimizer === 'exact' && settings.itemIds ? 1 - settings.featurePull : 1;
  return ridge.map((value) => value * share);
}

/** Refuses settings that an exact fit has no meaning for. */
export function checkItemUpdate(settings: AmSspSettings): void {
  if (settings.optimizer !== 'exact') return;
  const advice = 'Use optimizer=adam or optimizer=sgd.';
  if (settings.encoder !== 'linear') {
    throw new SettingsError('optimizer', `optimizer=exact needs encoder=linear. ${advice}`);
  }
  if (settings.batchItems > 0 || settings.projectRadius) {
    const key = settings.projectRadius ? 'projectRadius' : 'batchItems';
    throw new SettingsError(key, `${key} concerns descent, and optimizer=exact makes none. ${advice}`);
  }
}

/** The item update these settings ask for. Writes its first item vectors, which are random, to `items`. */
export function makeItemUpdate(
  features: readonly FeatureSource[],
  items: FactorMatrix,
  settings: AmSspSettings,
  ridges: Ridges,
  random: () => number,
): ItemUpdate {
  const encoder = makeEncoder(features, items.rowCount, settings, random);
  encoder.encode(items); // θ ← init
  if (settings.optimizer === 'exact') {
    const fit = new LinearFit(featureBags(features), items.width, {
      itemIds: settings.itemIds,
      ownRidge: ridges.item.map((ridge) => ridge * settings.featurePull),
      tokenRidge: ridges.unit * settings.tokenRidge,
    });
    return {
      parameterCount: encoder.parameters.length,
      update: (quadratic, out, steps) => fit.fit(quadratic, out, steps),
    };
  }
  const optimizer = makeOptimizer(settings, encoder.parameters.length);
  return {
    parameterCount: encoder.parameters.length,
    update(quadratic, out, steps) {
      descend(quadratic, encoder, optimizer, out, steps, settings, random);
      encoder.encode(out);
    },
  };
}
