import { type Csr, sharedFloat32, sharedUint32 } from '@hushrec/numerics';

/** Which neighbours, and what is stored about them. */
export interface NearestOptions {
  /** Neighbours per item, ≥ 1. */
  readonly k: number;
  readonly measure: 'dot' | 'cosine';
  /** `actual` stores the similarity, `binary` stores 1. */
  readonly values: 'actual' | 'binary';
}

/**
 * The k most similar other items of every item that has a vector (items × items; ties go to the smaller
 * index). Row-major `vectors` of `width`; items marked 0 in `present` have none and are nobody's neighbour.
 * Krichene et al. 2023b (DP-CMF) §4 use such rows as public features. O(items² · width), O(items · k) memory.
 */
export function nearestItems(
  vectors: Float32Array,
  width: number,
  present: Uint8Array,
  { k, measure, values }: NearestOptions,
): Csr {
  if (!Number.isInteger(k) || k < 1) throw new RangeError(`k is ${k}; expected a whole number ≥ 1.`);
  const itemCount = present.length;
  const scaled = measure === 'cosine' ? normalised(vectors, width) : vectors;
  const others = present.reduce((sum, each) => sum + each, 0) - 1;
  const perItem = Math.max(0, Math.min(k, others));
  const offsets = sharedUint32(itemCount + 1);
  for (let item = 0; item < itemCount; item++)
    offsets[item + 1] = offsets[item] + (present[item] ? perItem : 0);
  const indices = sharedUint32(offsets[itemCount]);
  const similarities = sharedFloat32(offsets[itemCount]);
  const best = new Float64Array(perItem);
  const bestItem = new Uint32Array(perItem);
  for (let item = 0; item < itemCount; item++) {
    if (!present[item] || perItem === 0) continue;
    let size = 0;
    for (let other = 0; other < itemCount; other++) {
      if (other === item || !present[other]) continue;
      let similarity = 0;
      for (let f = 0; f < width; f++) similarity += scaled[item * width + f] * scaled[other * width + f];
      if (size === perItem && similarity <= best[size - 1]) continue;
      let place = size < perItem ? size++ : size - 1;
      for (; place > 0 && best[place - 1] < similarity; place--) {
        best[place] = best[place - 1];
        bestItem[place] = bestItem[place - 1];
      }
      best[place] = similarity;
      bestItem[place] = other;
    }
    const order = Array.from({ length: size }, (_, place) => place).sort((a, b) => bestItem[a] - bestItem[b]);
    order.forEach((place, k) => {
      indices[offsets[item] + k] = bestItem[place];
      similarities[offsets[item] + k] = values === 'binary' ? 1 : best[place];
    });
  }
  return { rowCount: itemCount, columnCount: itemCount, offsets, indices, values: similarities };
}

/** Rows of length 1; zero rows stay zero. */
function normalised(vectors: Float32Array, width: number): Float32Array {
  const result = new Float32Array(vectors);
  for (let start = 0; start < result.length; start += width) {
    let square = 0;
    for (let f = start; f < start + width; f++) square += result[f] ** 2;
    const inverse = square > 0 ? 1 / Math.sqrt(square) : 0;
    for (let f = start; f < start + width; f++) result[f] *= inverse;
  }
  return result;
}
