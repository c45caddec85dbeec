import type { Appearance, FeatureSource, RatingMatrix } from './rating-matrix.js';

/** A data set in memory, before it has a folder: what generators and importers make and `writeDataset` stores. */
export interface DatasetContent {
  readonly name: string;
  readonly ratings: RatingMatrix;
  readonly userIds: readonly string[];
  readonly itemIds: readonly string[];
  /** By item index; '' where unknown. */
  readonly itemTitles: readonly string[];
  /** Addresses of the items' own pages and of their pictures, by item index; '' where unknown. */
  readonly itemLinks?: readonly string[];
  readonly itemImages?: readonly string[];
  readonly features: readonly FeatureSource[];
  readonly appearance?: Appearance;
  readonly provenance: Readonly<Record<string, unknown>>;
}
