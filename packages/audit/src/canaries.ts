import type { PrivacyUnit, Relation } from '@hushrec/privacy';
import { type RatingMatrix, type RatingScale, SeededRandom } from '@hushrec/ratings';

/**
 * A person made to stand out, hence to move every statistic by as much as its bound allows:
 * - `rare-items`: only items that nobody else rates, so nothing hides the shift, and all at the best rating.
 * - `far-out`: the same items, rated a thousand times beyond the scale. A correct method clips this to the
 * bound; one that forgot a clip shows it.
 * - `every-item`: everything, at the best rating: far more than anyone may contribute.
 */
export type CanaryKind = 'rare-items' | 'far-out' | 'every-item';
export const canaryKinds: readonly CanaryKind[] = ['rare-items', 'far-out', 'every-item'];

/** Two data sets that differ by one unit of privacy. */
export interface Neighbours {
  readonly withCanary: RatingMatrix;
  readonly withoutCanary: RatingMatrix;
}

export interface CanaryOptions {
  readonly kind: CanaryKind;
  readonly unit: PrivacyUnit;
  readonly relation: Relation;
  readonly scale: RatingScale;
  /** Ordinary people around the canary. */
  readonly people?: number;
  readonly items?: number;
  /** Items that only the canary rates. */
  readonly rareItems?: number;
}

type Row = readonly (readonly [item: number, rating: number])[];

/**
 * A small data set with and without the canary. The canary comes last, so that everyone before it draws the
 * same randomness in both. Small on purpose: the noise does not know how many people there are, and thousands
 * of runs must be quick.
 */
export function neighbours(options: CanaryOptions): Neighbours {
  const { kind, unit, relation, scale, people = 50, items = 20, rareItems = 4 } = options;
  const random = new SeededRandom(1);
  const ordinary: Row[] = Array.from({ length: people }, () =>
    ordinaryPerson(random, items - rareItems, scale),
  );
  const rated = Array.from({ length: kind === 'every-item' ? items : rareItems }, (_, at) =>
    kind === 'every-item' ? at : items - rareItems + at,
  );
  const best = bestRating(kind, scale);
  const worst = kind === 'far-out' ? -best : scale.min;
  const canary: Row = rated.map((item) => [item, best]);
  const matrix = (last: Row | undefined) =>
    matrixOf(last === undefined ? ordinary : [...ordinary, last], items, scale);
  const neighbour = (): Row | undefined => {
    switch (unit) {
      case 'user':
        return relation === 'add-remove' ? undefined : canary.map(([item]) => [item, worst]);
      case 'rating-presence':
        return relation === 'add-remove'
          ? canary.slice(0, -1)
          : [...canary.slice(0, -1), [rated.at(-1)!, worst]];
      case 'rating-value':
        return [...canary.slice(0, -1), [rated.at(-1)!, worst]];
      default:
        return unit satisfies never;
    }
  };
  return { withCanary: matrix(canary), withoutCanary: matrix(neighbour()) };
}

/** One data set with many independent canaries, each with an item of its own. */
export interface ManyCanaries {
  readonly itemCount: number;
  /** The data set with exactly these canaries in it. */
  with(canaries: readonly number[]): RatingMatrix;
}

/**
 * For audits in one run: canary c rates item (common items + c) and nothing else, as high as its kind says.
 */
export function manyCanaries(
  kind: Exclude<CanaryKind, 'every-item'>,
  count: number,
  scale: RatingScale,
  people = 50,
  commonItems = 16,
): ManyCanaries {
  const random = new SeededRandom(1);
  const ordinary: Row[] = Array.from({ length: people }, () => ordinaryPerson(random, commonItems, scale));
  const best = bestRating(kind, scale);
  const itemCount = commonItems + count;
  return {
    itemCount,
    with: (canaries) =>
      matrixOf(
        [...ordinary, ...canaries.map((canary): Row => [[commonItems + canary, best]])],
        itemCount,
        scale,
      ),
  };
}

function bestRating(kind: CanaryKind, scale: RatingScale): number {
  return kind === 'far-out' ? 1000 * Math.max(Math.abs(scale.max), 1) : scale.max;
}

/** Half of the common items each, rated anyhow on the scale. */
function ordinaryPerson(random: SeededRandom, items: number, scale: RatingScale): Row {
  const grades = scale.step > 0 ? Math.round((scale.max - scale.min) / scale.step) + 1 : 1;
  const row: [number, number][] = [];
  for (let item = 0; item < items; item++) {
    if (random.uniform() < 0.5) row.push([item, scale.min + random.below(grades) * scale.step]);
  }
  return row;
}

function matrixOf(rows: readonly Row[], itemCount: number, scale: RatingScale): RatingMatrix {
  const offsets = new Uint32Array(rows.length + 1);
  rows.forEach((row, user) => {
    offsets[user + 1] = offsets[user] + row.length;
  });
  return {
    userCount: rows.length,
    itemCount,
    scale,
    byUser: {
      rowCount: rows.length,
      columnCount: itemCount,
      offsets,
      indices: Uint32Array.from(rows.flatMap((row) => row.map(([item]) => item))),
      values: Float32Array.from(rows.flatMap((row) => row.map(([, rating]) => rating))),
    },
  };
}
