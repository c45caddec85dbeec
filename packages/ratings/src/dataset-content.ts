import type { RatingsWithNames } from './rating-matrix.js';

/**
 * A data set in memory, before it has a folder: what generators and importers make and `writeDataset` stores.
 */
export interface DatasetContent extends RatingsWithNames {
  readonly name: string;
  readonly provenance: Readonly<Record<string, unknown>>;
}
