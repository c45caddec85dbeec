import { canonicalJson } from '@hushrec/model/signing';
import type { Csr } from '@hushrec/numerics';
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
  const { unknown, leftOut, ...rows } = movedRows(
    ratings.byUser,
    itemIds.map((id) => places.get(id) ?? -1),
  );
  if (unknown.size > 0 && !options.leaveOut) throw unknownItems([...unknown].map((item) => itemIds[item]));
  const itemCount = catalogue.itemIds.length;
  return {
    leftOut,
    ratings: {
      userCount: ratings.userCount,
      itemCount,
      scale,
      byUser: { rowCount: ratings.userCount, columnCount: itemCount, ...rows },
      ...(ratings.about && { about: ratings.about }),
    },
  };
}

/**
 * Rows with each column moved to its new place, in the order of places. A place below 0 leaves a column out.
 */
function movedRows(
  { rowCount, offsets: from, indices: columns, values: old }: Csr,
  place: readonly number[],
) {
  const offsets = new Uint32Array(rowCount + 1);
  const indices: number[] = [];
  const values: number[] = [];
  const unknown = new Set<number>();
  let leftOut = 0;
  for (let row = 0; row < rowCount; row++) {
    const own: { item: number; value: number }[] = [];
    for (let at = from[row]; at < from[row + 1]; at++) {
      const item = place[columns[at]];
      if (item >= 0) own.push({ item, value: old[at] });
      else {
        unknown.add(columns[at]);
        leftOut++;
      }
    }
    own.sort((a, b) => a.item - b.item);
    for (const { item, value } of own) {
      indices.push(item);
      values.push(value);
    }
    offsets[row + 1] = indices.length;
  }
  return {
    offsets,
    indices: Uint32Array.from(indices),
    values: Float32Array.from(values),
    unknown,
    leftOut,
  };
}

function unknownItems(ids: readonly string[]): CatalogueMismatchError {
  return new CatalogueMismatchError(
    `Of the items of these ratings ${ids.length} ${ids.length === 1 ? 'is' : 'are'} not in the catalogue of the run (the first: ${ids.slice(0, 3).join(', ')}). Leave them out with --leave-out-unknown-items, or agree on another catalogue.`,
  );
}
