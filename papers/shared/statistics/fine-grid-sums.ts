import type { ItemStatistics, ItemStatisticsJob } from '@hushrec/numerics';

/**
 * The sums of `Engine.itemStatistics` on a grid finer than its kernels have (they keep 15 bits a coordinate),
 * in plain loops: for comparisons without noise, where rounding would be the only difference. Same integers,
 * same exactness contract. O(ratings of the block × d²).
 */
export function fineItemStatistics(job: ItemStatisticsJob): ItemStatistics {
  const { byItem, users, rootWeights, begin, end, vectorBits, targetBits } = job;
  const d = users.width;
  const triangle = (d * (d + 1)) / 2;
  const matrices = new Float64Array(job.matrices ? (end - begin) * triangle : 0);
  const vectors = new Float64Array((end - begin) * d);
  const vectorScale = 2 ** vectorBits / job.vectorBound;
  const targetScale = 2 ** targetBits / job.targetBound;
  const targets = job.targets ?? byItem.values;
  const x = new Float64Array(d);
  for (let item = begin; item < end; item++) {
    let total = 0;
    for (let at = byItem.offsets[item]; at < byItem.offsets[item + 1]; at++) {
      const root = rootWeights?.[at] ?? 1;
      total += root * root;
      const from = byItem.indices[at] * d;
      const target = Math.trunc(root * targets[at] * targetScale);
      for (let a = 0; a < d; a++) x[a] = Math.trunc(root * users.data[from + a] * vectorScale);
      const vectorAt = (item - begin) * d;
      for (let a = 0; a < d; a++) vectors[vectorAt + a] += target * x[a];
      if (job.matrices) addOuterProduct(x, matrices, (item - begin) * triangle);
    }
    requireExact(total * 2 ** (vectorBits + Math.max(vectorBits, targetBits)));
  }
  return { matrices, vectors };
}

/** Σ_i x_i x_iᵀ with x_i = trunc(u_i 2^bits / bound), packed. O(people × d²). */
export function fineGramian(
  users: ItemStatisticsJob['users'],
  vectorBound: number,
  vectorBits: number,
): Float64Array {
  const d = users.width;
  requireExact(users.rowCount * 2 ** (2 * vectorBits));
  const sums = new Float64Array((d * (d + 1)) / 2);
  const scale = 2 ** vectorBits / vectorBound;
  const x = new Float64Array(d);
  for (let user = 0; user < users.rowCount; user++) {
    for (let a = 0; a < d; a++) x[a] = Math.trunc(users.data[user * d + a] * scale);
    addOuterProduct(x, sums, 0);
  }
  return sums;
}

function addOuterProduct(x: Float64Array, packed: Float64Array, begin: number): void {
  for (let a = 0, at = begin; a < x.length; a++) {
    const xa = x[a];
    for (let b = a; b < x.length; b++, at++) packed[at] += xa * x[b];
  }
}

function requireExact(largest: number): void {
  if (!(largest < 2 ** 53)) {
    throw new RangeError(
      'A sum over this many people could reach 2^53 and would not be exact. Use a coarser grid.',
    );
  }
}
