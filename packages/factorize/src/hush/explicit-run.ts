import type { GridSums } from '@hushrec/statistics';
import type { PeopleInput } from '../method.js';
import { itemFeatures, shrinkToFeatures } from './feature-shrinkage.js';
import type { HushPieces } from './hush-pieces.js';
import type { HushSettings } from './hush-settings.js';
import { type ReleasedSums, releaseSums } from './release-sums.js';
import { type Shrinkage, shrinkButKeep, shrinkToZero } from './shrinkage.js';

/** What every step of a run on ratings uses. */
export interface ExplicitRun extends PeopleInput<HushSettings> {
  readonly pieces: HushPieces;
  readonly itemCount: number;
  /** Of the rating scale: its middle, and half its width. */
  readonly middle: number;
  readonly half: number;
  /**
   * To zero, or to what public facts say. While rounds follow no direction is given up, and facts wait:
   * tastes that are looked for along what facts say of items are not found where items differ from it
   * (`hush/ablation`).
   */
  readonly shrink: Shrinkage;
  readonly shrinkEarly: Shrinkage;
  release(name: string, sums: GridSums, symmetricWidth?: number): Promise<ReleasedSums>;
}

export function explicitRun(input: PeopleInput<HushSettings>, pieces: HushPieces): ExplicitRun {
  const { scale, itemCount } = input.people;
  const known = itemFeatures(input.features, itemCount);
  return {
    ...input,
    pieces,
    itemCount,
    middle: (scale.min + scale.max) / 2,
    half: (scale.max - scale.min) / 2,
    shrink: known === undefined ? shrinkToZero : shrinkToFeatures(known),
    shrinkEarly: known === undefined || pieces.factsLast ? shrinkButKeep : shrinkToFeatures(known, 1),
    release: (name, sums, symmetricWidth = 0) => releaseSums(input.recorder, name, sums, symmetricWidth),
  };
}
