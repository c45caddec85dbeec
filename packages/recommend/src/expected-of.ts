import { expectedVector, ownFeatures, type PersonFeatures } from '@hushrec/model';
import type { IndexedHistory } from './scorer.js';

/** p: what the model expects of her by her own features. */
export function expectedOf(
  { weights, factors }: PersonFeatures,
  rank: number,
  { features = [] }: IndexedHistory,
): Float64Array {
  return expectedVector(factors, rank, ownFeatures(weights, features));
}
