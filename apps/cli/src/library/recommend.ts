import type { PublishedModel } from '@hushrec/model';
import { readModelFolder } from '@hushrec/model/folder';
import {
  type HistoryEntry,
  type Recommendations,
  Recommender,
  type RecommendOptions,
  recommendable,
  type SimilarItems,
  type SimilarOptions,
  similarItems,
} from '@hushrec/recommend';
import { OptionError } from '../command.js';
import { checkName, checkOptions, flag, type OptionShape, wholeNumber } from './checked-options.js';
import { choiceOptions, names } from './choice-options.js';

const recommendOptions: OptionShape<RecommendOptions> = {
  k: wholeNumber(1, 10_000),
  reasons: wholeNumber(0, 100),
  includeSeen: flag,
  about: names,
  ...choiceOptions,
};

/**
 * Recommendations for one person from their own history, computed here: the history goes nowhere. A model
 * folder is read at every call; for repeated calls, load it once with `openModel`.
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
  checkOptions<RecommendOptions>('recommend', recommendOptions, options);
  if (!Array.isArray(history))
    throw new OptionError("recommend: the history is no list; expected [{ id: 'dune', rating: 5 }].");
  const wrong = history.findIndex((each) => !isHistoryEntry(each));
  if (wrong >= 0)
    throw new OptionError(
      `recommend: line ${wrong + 1} of the history is no item with a number beside it; expected { id: 'dune', rating: 5 }, or { id: 'dune' } where there are no ratings.`,
    );
  return (await openModel(model)).recommend(history, options);
}

/** Ids are looked at by the recommender, which knows the line. */
function isHistoryEntry(each: unknown): boolean {
  if (typeof each !== 'object' || each === null) return false;
  const rating = 'rating' in each ? each.rating : undefined;
  return rating === undefined || typeof rating === 'number';
}

/**
 * Items like one item, from the public model alone: nobody's history is asked for.
 *
 * @throws UnknownItemError for an id that the model does not have; NoLikenessError where the model holds
 * averages and no vectors.
 * @example
 * const { items } = await similar('model', 'dune', { k: 10 });
 */
export async function similar(
  model: string | PublishedModel,
  item: string,
  options: SimilarOptions = {},
): Promise<SimilarItems> {
  checkOptions<SimilarOptions>('similar', { k: wholeNumber(1, 10_000), ...choiceOptions }, options);
  checkName('similar', 'the item', item);
  return similarItems(recommendable(await publishedOf('similar', model)), item, options);
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
  return new Recommender(recommendable(await publishedOf('openModel', model)));
}

async function publishedOf(called: string, model: string | PublishedModel): Promise<PublishedModel> {
  if (typeof model !== 'object' || model === null) checkName(called, 'the model', model);
  return typeof model === 'string' ? readModelFolder(model) : model;
}
