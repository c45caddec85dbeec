import type { GridSums } from '@hushrec/statistics';
import type { PeopleInput } from '../method.js';
import { itemFeatures, shrinkToFeatures } from './feature-shrinkage.js';
import type { HushPieces } from './hush-pieces.js';
import type { HushRules } from './hush-rules.js';
import type { HushSettings } from './hush-settings.js';
import { type ReleasedSums, releaseSums } from './release-sums.js';
import { partWay, type Shrinkage, shrinkButKeep, shrinkToZero } from './shrinkage.js';

/** What every step of a run on ratings uses. */
export interface ExplicitRun extends PeopleInput<HushSettings> {
  readonly pieces: HushPieces;
  readonly rules: HushRules;
  readonly itemCount: number;
  /** Of the rating scale: its middle, and half its width. */
  readonly middle: number;
  readonly half: number;
  /** To zero, or to what public facts say. */
  readonly shrink: Shrinkage;
  /**
   * While rounds follow no direction is given up, and facts count in part only. Without them tastes are told
   * by noisier vectors; but tastes that are looked for along what facts say of items are not found where
   * items differ from it (`hush/ablation`).
   */
  readonly shrinkEarly: Shrinkage;
  release(name: string, sums: GridSums, symmetricWidth?: number): Promise<ReleasedSums>;
}

export function explicitRun(
  input: PeopleInput<HushSettings>,
  pieces: HushPieces,
  rules: HushRules,
): ExplicitRun {
  const { scale, itemCount } = input.people;
  const { leastItems, mostTokens, earlyTokens, earlyFacts } = rules;
  const known = itemFeatures(input.features, itemCount, leastItems, mostTokens);
  const common = itemFeatures(input.features, itemCount, leastItems, earlyTokens);
  return {
    ...input,
    pieces,
    rules,
    itemCount,
    middle: (scale.min + scale.max) / 2,
    half: (scale.max - scale.min) / 2,
    shrink: known === undefined ? shrinkToZero : shrinkToFeatures(known),
    shrinkEarly:
      common === undefined ? shrinkButKeep : partWay(shrinkButKeep, shrinkToFeatures(common, 1), earlyFacts),
    release: (name, sums, symmetricWidth = 0) => releaseSums(input.recorder, name, sums, symmetricWidth),
  };
}
