import type { Dataset } from './rating-matrix.js';

/**
 * What `model.json` says about items: public knowledge, and no rating. Lists without any entry are left out.
 */
export interface PublishedItems {
  readonly itemIds: readonly string[];
  readonly titles?: readonly string[];
  readonly links?: readonly string[];
  readonly images?: readonly string[];
}

/** Ids, titles, links and images of a data set's items, as a model publishes them. */
export function publishedItems(
  dataset: Pick<Dataset, 'itemIds' | 'itemTitles' | 'itemLinks' | 'itemImages'>,
): PublishedItems {
  const { itemIds, itemTitles, itemLinks, itemImages } = dataset;
  const saysSomething = (list: readonly string[] | undefined) => list?.some((entry) => entry !== '') === true;
  return {
    itemIds,
    ...(saysSomething(itemTitles) && { titles: itemTitles }),
    ...(itemLinks && saysSomething(itemLinks) && { links: itemLinks }),
    ...(itemImages && saysSomething(itemImages) && { images: itemImages }),
  };
}
