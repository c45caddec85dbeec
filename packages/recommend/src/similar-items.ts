import type { ItemModel } from '@hushrec/model';
import { isTooNoisy } from '@hushrec/model/usefulness';
import { type ItemChoice, leftOut } from './item-choice.js';
import type { RecommendableModel } from './recommender.js';
import { topK } from './top-k.js';

/** An item that is like another. */
export interface SimilarItem {
  readonly id: string;
  readonly title?: string;
  /** Cosine of the two vectors, or the similarity that a model of neighbours publishes. */
  readonly similarity: number;
}

/** Items that are like one item, most alike first. */
export interface SimilarItems {
  readonly items: readonly SimilarItem[];
  /** True where the certificate says that vectors are mostly noise, and likeness therefore too. */
  readonly tooNoisy: boolean;
}

/** How many similar items, and among which. */
export interface SimilarOptions extends ItemChoice {
  readonly k?: number;
}

/** An item that the model does not have. */
export class UnknownItemError extends RangeError {
  override readonly name = 'UnknownItemError';
  readonly kind = 'usage';
  constructor(id: string) {
    super(`The model has no item ${JSON.stringify(id)}.`);
  }
}

/** A model that says nothing about which items are alike. */
export class NoLikenessError extends RangeError {
  override readonly name = 'NoLikenessError';
  readonly kind = 'usage';
  constructor() {
    super(
      'This model holds averages of items and no vectors: it does not say which items are alike. Train one with vectors, such as hush.',
    );
  }
}

/**
 * Items like one item, from the public model alone: nobody's history is asked for. O(items·d).
 *
 * @throws UnknownItemError for an id that the model does not have; NoLikenessError where it has averages
 * alone.
 */
export function similarItems(
  { model, itemIds, titles, usefulness }: RecommendableModel,
  id: string,
  options: SimilarOptions = {},
): SimilarItems {
  const own = itemIds.indexOf(id);
  if (own < 0) throw new UnknownItemError(id);
  const exclude = leftOut(itemIds, options, [own]);
  const best = topK(itemIds.length, likeness(model, own), options.k ?? 10, exclude);
  return {
    items: Array.from(best.items, (item, place) => ({
      id: itemIds[item],
      ...(titles?.[item] && { title: titles[item] }),
      similarity: best.scores[place],
    })),
    tooNoisy: usefulness !== undefined && isTooNoisy(usefulness),
  };
}

/**
 * How much each item is like item `own`; NaN where that cannot be said (a vector of zeros, no neighbour),
 * which leaves an item out of every ranking.
 *
 *   factors: v_own·v_j / (‖v_own‖ ‖v_j‖)        neighbours: s_own,j as published
 */
function likeness(model: ItemModel, own: number): (item: number) => number {
  switch (model.kind) {
    case 'factors': {
      const { rank, itemFactors } = model;
      const dot = (a: number, b: number) => {
        let sum = 0;
        for (let at = 0; at < rank; at++) sum += itemFactors[a * rank + at] * itemFactors[b * rank + at];
        return sum;
      };
      const length = Math.sqrt(dot(own, own));
      return (item) => dot(own, item) / (length * Math.sqrt(dot(item, item)));
    }
    case 'neighbours': {
      const found = new Map<number, number>();
      for (let at = own * model.k; at < (own + 1) * model.k && model.neighbours[at] >= 0; at++)
        found.set(model.neighbours[at], model.similarities[at]);
      return (item) => found.get(item) ?? Number.NaN;
    }
    case 'baseline':
      throw new NoLikenessError();
    default:
      return model satisfies never;
  }
}
