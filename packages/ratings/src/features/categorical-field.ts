import { csrFromTriples } from '@hushrec/numerics';
import type { FeatureSource } from '../rating-matrix.js';

type CategoricalField = Extract<FeatureSource, { kind: 'categorical' }>['fields'][number];

/**
 * Gathers (item, token, weight) into a field. Tokens are in alphabetical order; a token named twice for an
 * item keeps its largest weight.
 */
export class CategoricalFieldBuilder {
  readonly #weights = new Map<string, Map<number, number>>();

  add(item: number, token: string, weight = 1): void {
    let items = this.#weights.get(token);
    if (items === undefined) {
      items = new Map();
      this.#weights.set(token, items);
    }
    items.set(item, Math.max(weight, items.get(item) ?? 0));
  }

  finish(name: string, itemCount: number): CategoricalField {
    const tokens = [...this.#weights.keys()].sort();
    const rows: number[] = [];
    const columns: number[] = [];
    const values: number[] = [];
    for (const [column, token] of tokens.entries()) {
      for (const [item, weight] of this.#weights.get(token)!) {
        rows.push(item);
        columns.push(column);
        values.push(weight);
      }
    }
    return { name, tokens, byItem: csrFromTriples(itemCount, tokens.length, rows, columns, values) };
  }
}
