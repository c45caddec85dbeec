import type { ItemModel } from '@hushrec/model';

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
 * How much each item is like item `own`, from −1 to 1; NaN where that cannot be said (a vector of zeros, no
 * neighbour), which leaves an item out of every ranking.
 *
 *   factors: v_own·v_j / (‖v_own‖ ‖v_j‖)        neighbours: s_own,j as published
 *
 * @throws NoLikenessError for a model of averages
 */
export function similarItems(model: ItemModel, own: number): (item: number) => number {
  switch (model.kind) {
    case 'factors': {
      const { rank, itemFactors } = model;
      const dot = (a: number, b: number) => {
        let sum = 0;
        for (let at = 0; at < rank; at++) sum += itemFactors[a * rank + at] * itemFactors[b * rank + at];
        return sum;
      };
      const length = Math.sqrt(dot(own, own));
      // 0/0 is NaN: nothing is like an item without a direction.
      return (item) => dot(own, item) / (length * Math.sqrt(dot(item, item)));
    }
    case 'neighbours': {
      const found = new Map<number, number>();
      for (let at = own * model.k; at < (own + 1) * model.k && model.neighbours[at] >= 0; at++)
        found.set(model.neighbours[at], model.similarities[at]);
      return (item) => found.get(item) ?? Number.NaN;
    }
    default:
      throw new NoLikenessError();
  }
}
