import type { PublishedModel } from '@hushrec/model';
import { readModelFolder } from '@hushrec/model/folder';
import {
  type HistoryEntry,
  type Recommendations,
  Recommender,
  type RecommendOptions,
  recommendable,
} from '@hushrec/recommend';

/**
 * Recommendations for one person from their own history, computed here: the history goes nowhere. A model
 * folder is read at every call; who asks often reads it once (`openModel`) and keeps the recommender.
 *
 * @throws CorruptModelError where a file is not what the certificate was issued for; HistoryError for a
 * rating outside the scale, with its line.
 * @example
 * const { items } = await recommend('model', [{ id: 'dune', rating: 5 }], { k: 10 });
 */
export async function recommend(
  model: string | PublishedModel,
  history: readonly HistoryEntry[],
  options: RecommendOptions = {},
): Promise<Recommendations> {
  return (await openModel(model)).recommend(history, options);
}

/**
 * A recommender that stays: reads a model folder, checks every file against the certificate's hashes, and
 * answers from then on.
 *
 * @throws CorruptModelError where a file is not what the certificate was issued for.
 * @example
 * const recommender = await openModel('model');
 * const { items, basis } = recommender.recommend([{ id: 'dune', rating: 5 }]);
 */
export async function openModel(model: string | PublishedModel): Promise<Recommender> {
  const published = typeof model === 'string' ? await readModelFolder(model) : model;
  return new Recommender(recommendable(published));
}
