import { canonicalJson } from '@hushrec/model';
import type { FeatureSource, RatingMatrix, RatingScale } from '@hushrec/ratings';
import { hashHex } from './bytes.js';

/** The public items of a run, in the order of its vectors, and what is publicly known about them. */
export interface Catalogue {
  readonly format: 'hushrec-catalogue-1';
  readonly scale: RatingScale;
  readonly itemIds: readonly string[];
  readonly titles?: readonly string[];
  readonly links?: readonly string[];
  readonly images?: readonly string[];
  /** Public features, typed arrays written as lists. */
  readonly features?: readonly unknown[];
}

/** Ratings that do not fit the catalogue of a run. */
export class CatalogueMismatchError extends Error {
  override readonly name = 'CatalogueMismatchError';
  readonly kind = 'data';
}

export async function catalogueHash(catalogue: Catalogue): Promise<string> {
  return hashHex(canonicalJson(catalogue));
}

const arrays = { Uint32Array, Float32Array, Float64Array, Int32Array, Uint8Array } as const;

/** Public features as plain data. */
export function encodeFeatures(features: readonly FeatureSource[]): readonly unknown[] {
  const text = JSON.stringify(features, (_, value: unknown) => {
    if (!ArrayBuffer.isView(value)) return value;
    const type = value.constructor.name;
    return { type, values: Array.from(value as unknown as ArrayLike<number>) };
  });
  return JSON.parse(text) as unknown[];
}

/** Inverse of `encodeFeatures`. */
export function decodeFeatures(features: readonly unknown[] | undefined): readonly FeatureSource[] {
  return JSON.parse(JSON.stringify(features ?? []), (_, value: unknown) => {
    const { type, values } = (value ?? {}) as { type?: unknown; values?: unknown };
    return typeof type === 'string' && Object.hasOwn(arrays, type) && Array.isArray(values)
      ? arrays[type as keyof typeof arrays].from(values as number[])
      : value;
  }) as readonly FeatureSource[];
}

/**
 * The same ratings about the catalogue's items, in its order. Ratings of items that it lacks are left out
 * where that is allowed, with how many there are; otherwise they are refused.
 */
export function inCatalogue(
  ratings: RatingMatrix,
  itemIds: readonly string[],
  catalogue: Catalogue,
  options: { readonly leaveOut?: boolean } = {},
): { readonly ratings: RatingMatrix; readonly leftOut: number } {
  const { scale } = catalogue;
  if (ratings.scale.min !== scale.min || ratings.scale.max !== scale.max)
    throw new CatalogueMismatchError(
      `The run rates from ${scale.min} to ${scale.max}, these ratings go from ${ratings.scale.min} to ${ratings.scale.max}. Import them with --scale ${scale.min}:${scale.max}:${scale.step}.`,
    );
  const places = new Map(catalogue.itemIds.map((id, place) => [id, place]));
  const place = itemIds.map((id) => places.get(id) ?? -1);
  const { byUser } = ratings;
  const offsets = new Uint32Array(ratings.userCount + 1);
  const indices: number[] = [];
  const values: number[] = [];
  const unknown = new Set<number>();
  let leftOut = 0;
  for (let user = 0; user < ratings.userCount; user++) {
    const own: { item: number; value: number }[] = [];
    for (let at = byUser.offsets[user]; at < byUser.offsets[user + 1]; at++) {
      const item = place[byUser.indices[at]];
      if (item >= 0) own.push({ item, value: byUser.values[at] });
      else {
        unknown.add(byUser.indices[at]);
        leftOut++;
      }
    }
    own.sort((a, b) => a.item - b.item);
    for (const { item, value } of own) {
      indices.push(item);
      values.push(value);
    }
    offsets[user + 1] = indices.length;
  }
  if (unknown.size > 0 && !options.leaveOut)
    throw new CatalogueMismatchError(
      `Of the items of these ratings ${unknown.size} ${unknown.size === 1 ? 'is' : 'are'} not in the catalogue of the run (the first: ${[
        ...unknown,
      ]
        .slice(0, 3)
        .map((item) => itemIds[item])
        .join(', ')}). Leave them out with --leave-out-unknown-items, or agree on another catalogue.`,
    );
  const itemCount = catalogue.itemIds.length;
  return {
    leftOut,
    ratings: {
      userCount: ratings.userCount,
      itemCount,
      scale,
      byUser: {
        rowCount: ratings.userCount,
        columnCount: itemCount,
        offsets,
        indices: Uint32Array.from(indices),
        values: Float32Array.from(values),
      },
    },
  };
}
