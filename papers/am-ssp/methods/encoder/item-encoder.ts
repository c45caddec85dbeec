import type { Csr, FactorMatrix } from '@hushrec/numerics';
import type { FeatureSource } from '@hushrec/ratings';
import type { ItemEncoding } from '../../statistics/item-encoding.js';

/**
 * Item vectors as a function of public features: v_j = enc_θ(x_j). Gradients go back by hand, without a
 * framework. Rows are items; θ is one flat array so that optimizers and clipping need not know its shape.
 */
export interface ItemEncoder {
  readonly itemCount: number;
  readonly width: number;
  readonly parameters: Float32Array;
  /** Writes v_j of the given items (all when absent) to `out`. */
  encode(out: FactorMatrix, items?: Uint32Array): void;
  /**
   * Adds Σ_j (∂v_j/∂θ)ᵀ g_j over the given items (all when absent) to `gradient`; g_j is row j of `outputs`.
   */
  addGradient(outputs: FactorMatrix, gradient: Float32Array, items?: Uint32Array): void;
  /** The same as plain data, for people who take gradients back to θ. */
  readonly encoding: ItemEncoding;
}

/** Kinds of public sources that encoders describe items by. */
export const encodedKinds = ['categorical', 'similarity'] as const satisfies readonly FeatureSource['kind'][];

/** One family of tokens: rows are items, columns tokens, values their weights within the item. */
export type Bag = Csr;

/** There is nothing to encode an item from. */
export class NoFeaturesError extends RangeError {
  override readonly name = 'NoFeaturesError';
  readonly kind = 'usage';
  constructor() {
    super(
      'am-ssp and its relatives describe items by public features, and there are none. ' +
        'Give a categorical or similarity source (--features), or set itemIds=true.',
    );
  }
}

/**
 * Bags of the public sources (categorical fields, similar items), each row scaled to sum 1 in absolute value:
 * a weighted mean.
 */
export function featureBags(features: readonly FeatureSource[]): Bag[] {
  const bags: Bag[] = [];
  for (const source of features) {
    if (source.kind === 'categorical') for (const field of source.fields) bags.push(rowsToMean(field.byItem));
    else if (source.kind === 'similarity') bags.push(rowsToMean(source.byItem));
  }
  return bags;
}

/** `featureBags`, and a bag of one token per item when `itemIds` is set. */
export function bagsOf(
  features: readonly FeatureSource[],
  itemCount: number,
  itemIds: boolean,
): readonly Bag[] {
  const bags = featureBags(features);
  if (itemIds) bags.push(identity(itemCount));
  if (bags.length === 0) throw new NoFeaturesError();
  return bags;
}

function rowsToMean(rows: Csr): Csr {
  const values = rows.values.slice();
  for (let row = 0; row < rows.rowCount; row++) {
    let total = 0;
    for (let at = rows.offsets[row]; at < rows.offsets[row + 1]; at++) total += Math.abs(values[at]);
    if (total > 0) for (let at = rows.offsets[row]; at < rows.offsets[row + 1]; at++) values[at] /= total;
  }
  return { ...rows, values };
}

function identity(size: number): Csr {
  return {
    rowCount: size,
    columnCount: size,
    offsets: Uint32Array.from({ length: size + 1 }, (_, at) => at),
    indices: Uint32Array.from({ length: size }, (_, at) => at),
    values: new Float32Array(size).fill(1),
  };
}
