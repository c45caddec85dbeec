import type { Csr } from '@hushrec/numerics';
import type { DatasetAccount } from './dataset-folder/account.js';

/** Declared range of ratings, never read from the data. Implicit feedback is {min: 1, max: 1, step: 1}. */
export interface RatingScale {
  readonly min: number;
  readonly max: number;
  /** Distance between neighbouring grades; 0 for continuous ratings. */
  readonly step: number;
}

/** Ratings by user. Ids are dense integers here; names live in the `Dataset`. Each pair occurs once. */
export interface RatingMatrix {
  readonly userCount: number;
  readonly itemCount: number;
  readonly scale: RatingScale;
  /** Users by rows, items by columns (ascending), ratings as values. */
  readonly byUser: Csr;
  /** Seconds since 1970, aligned with byUser.values; absent where the source has no time. */
  readonly times?: Float64Array;
  /** What people say about themselves; absent where nobody was asked. As private as the ratings. */
  readonly about?: PeopleFacts;
}

/** Features of people: who has which, by rows as in `RatingMatrix.byUser`. Values do not count. */
export interface PeopleFacts {
  /** What the columns are called. */
  readonly names: readonly string[];
  readonly byUser: Csr;
}

/** So many people, none of whom has rated anything. */
export function withoutRatings(
  userCount: number,
  { itemCount, scale }: Pick<RatingMatrix, 'itemCount' | 'scale'>,
): RatingMatrix {
  return {
    userCount,
    itemCount,
    scale,
    byUser: {
      rowCount: userCount,
      columnCount: itemCount,
      offsets: new Uint32Array(userCount + 1),
      indices: new Uint32Array(0),
      values: new Float32Array(0),
    },
  };
}

/**
 * Public knowledge about items, joined by item index. Costs no privacy because no one's ratings are in it.
 */
export type FeatureSource =
  /**
   * A bag of tokens per item and field (genre, director, …): rows are items, columns tokens, values weights.
   */
  | {
      readonly kind: 'categorical';
      readonly name: string;
      readonly fields: readonly {
        readonly name: string;
        readonly tokens: readonly string[];
        readonly byItem: Csr;
      }[];
    }
  /** k nearest other items per item with their similarity: items × items. */
  | { readonly kind: 'similarity'; readonly name: string; readonly byItem: Csr }
  /** Ratings of people whose data is public: rows are those people, columns items. */
  | {
      readonly kind: 'public-ratings';
      readonly name: string;
      readonly byUser: Csr;
      readonly scale: RatingScale;
    };

/** `dataset.json`. */
export interface DatasetManifest {
  readonly format: 'hushrec-dataset-2';
  readonly name: string;
  readonly people: number;
  readonly items: number;
  readonly ratings: number;
  readonly scale: RatingScale;
  readonly hasTimes: boolean;
  /** Where it came from and what was dropped on the way. */
  readonly provenance: Readonly<Record<string, unknown>>;
  /** Whose budget it spends from; see `DatasetAccount`. */
  readonly account: DatasetAccount;
  /**
   * SHA-256 over the content (ids, pairs, ratings, times), independent of file layout. As private as the
   * ratings: whoever knows all of them but one person's can test it.
   */
  readonly contentHash: string;
  /** Public item features stored with the data set, in the order of `Dataset.features`. */
  readonly features: readonly FeatureManifest[];
  readonly files: Readonly<Record<string, { readonly sha256: string; readonly bytes: number }>>;
}

/** How a `FeatureSource` is stored: everything but its numbers and tokens, which are in Parquet files. */
export type FeatureManifest =
  | {
      readonly kind: 'categorical';
      readonly name: string;
      readonly fields: readonly { readonly name: string; readonly tokens: number }[];
    }
  | { readonly kind: 'similarity'; readonly name: string }
  | {
      readonly kind: 'public-ratings';
      readonly name: string;
      readonly people: number;
      readonly scale: RatingScale;
    };

/** A dataset folder, opened. */
export interface Dataset extends RatingsWithNames {
  readonly directory: string;
  readonly manifest: DatasetManifest;
}

/** Ratings, and what their rows and columns stand for. */
export interface RatingsWithNames {
  readonly ratings: RatingMatrix;
  readonly userIds: readonly string[];
  readonly itemIds: readonly string[];
  /** Titles where the source has them, by item index; '' where unknown. */
  readonly itemTitles: readonly string[];
  /** Addresses of the items' own pages and of their pictures, by item index; '' where unknown. */
  readonly itemLinks?: readonly string[];
  readonly itemImages?: readonly string[];
  readonly features: readonly FeatureSource[];
  /**
   * Where the source had rows: the rank of each user's and item's first row. Published splits refer to it.
   */
  readonly appearance?: Appearance;
}

/**
 * Rank of the first row of each user and item in the source, by index: 0 came first. Private, like the
 * ratings.
 */
export interface Appearance {
  readonly users: Uint32Array;
  readonly items: Uint32Array;
}
