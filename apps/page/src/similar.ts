import type { PublishedModel } from '@hushrec/model';
import { recommendable, type SimilarItems, type SimilarOptions, similarItems } from '@hushrec/recommend';

/**
 * Items like one item, from the model on this device: nothing is sent. Loaded on demand, since not every page
 * asks.
 *
 * @throws UnknownItemError for an id that the model does not have; NoLikenessError where it has averages
 * alone.
 * @example
 * const { published } = await fetchModel('/models/sample-eps-1/');
 * const { items } = await similar(published, 'movie-7', { k: 5 });
 */
export async function similar(
  published: PublishedModel,
  id: string,
  options: SimilarOptions = {},
): Promise<SimilarItems> {
  return similarItems(recommendable(published), id, options);
}
