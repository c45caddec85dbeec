import { basename } from 'node:path';
import { indexOfIds } from '../join-rows.js';
import type { FeatureSource, RatingScale } from '../rating-matrix.js';
import { type CategoricalOptions, readCategorical } from './categorical-features.js';
import type { FeatureReport } from './feature-report.js';
import { readFeatureTable } from './feature-table.js';
import { readMovieLensGenres } from './movielens-genres.js';
import { type PublicRatingsOptions, readPublicRatings } from './public-ratings.js';
import { readSimilarity, type SimilarityOptions } from './similarity-features.js';

/** How to read a file of public knowledge about items. */
export type FeatureOptions = CategoricalOptions | SimilarityOptions | PublicRatingsOptions;

/** Reads features from a file and joins them to the items of a data set by id. */
export async function importFeatures(
  path: string,
  options: FeatureOptions,
  dataset: { readonly itemIds: readonly string[]; readonly ratings: { readonly scale: RatingScale } },
): Promise<{ readonly source: FeatureSource; readonly report: FeatureReport }> {
  const index = indexOfIds(dataset.itemIds);
  const name = basename(path).replace(/\.gz$/i, '');
  switch (options.kind) {
    case 'categorical': {
      const isMovieLens = /^(?:u\.item|movies\.dat|movies\.csv)$/.test(name) && options.fields === undefined;
      return isMovieLens
        ? await readMovieLensGenres(path, name, index)
        : readCategorical(await readFeatureTable(path, options), name, options, index);
    }
    case 'similarity':
      return readSimilarity(await readFeatureTable(path, options), name, options, index);
    case 'public-ratings':
      return await readPublicRatings(path, name, options, index, dataset.ratings.scale);
  }
}
