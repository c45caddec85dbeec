import { type Csr, sharedFloat32, transpose } from '@hushrec/numerics';
import type { FeatureSource } from '@hushrec/ratings';
import { stackRows } from './stack-rows.js';

/** A public source as a matrix S with one row per token, item or public person, and items by columns. */
export interface FeatureRows {
  readonly kind: FeatureSource['kind'];
  readonly name: string;
  readonly rows: Csr;
}

/**
 * The matrices that collective factorization shares item vectors with (Curmei et al. 2023, §4): tokens of all
 * fields, nearest items, or public people. Ratings of public people are centred like the private ones
 * (`offset`), or count as 1 for implicit feedback.
 */
export function featureRows(
  source: FeatureSource,
  feedback: 'explicit' | 'implicit',
  offset: number,
): FeatureRows {
  const { kind, name } = source;
  switch (kind) {
    case 'categorical':
      return { kind, name, rows: stackRows(source.fields.map((field) => transpose(field.byItem))) };
    case 'similarity':
      return { kind, name, rows: source.byItem };
    case 'public-ratings': {
      const { byUser } = source;
      const values = sharedFloat32(byUser.values.length);
      for (let k = 0; k < values.length; k++)
        values[k] = feedback === 'implicit' ? 1 : byUser.values[k] - offset;
      return { kind, name, rows: { ...byUser, values } };
    }
    default:
      return source satisfies never;
  }
}
