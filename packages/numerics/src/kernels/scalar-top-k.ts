import type { KernelJobs } from './kernels.js';

/**
 * Puts (score, column) into a descending list of k at `at`, if it belongs there. Columns arrive in ascending
 * order, so that a tie keeps the smaller column by staying behind its equal.
 */
function insertIntoTopK(
  indices: Int32Array,
  scores: Float32Array,
  at: number,
  k: number,
  column: number,
  score: number,
): void {
  let place = at + k - 1;
  while (place > at && scores[place - 1] < score) {
    scores[place] = scores[place - 1];
    indices[place] = indices[place - 1];
    place--;
  }
  scores[place] = score;
  indices[place] = column;
}

/** Reference for `Kernels.topK`: O(rows · items · d). Scores are float64 sums rounded to float32. */
export function topKScalar(job: KernelJobs['topK'], begin: number, end: number): void {
  const { rows, items, itemBias, exclude, k } = job;
  const { indices, scores } = job.out;
  const d = rows.width;
  for (let row = begin; row < end; row++) {
    const at = row * k;
    indices.fill(-1, at, at + k);
    scores.fill(-Infinity, at, at + k);
    let skip = exclude === undefined ? 0 : exclude.offsets[row];
    const skipEnd = exclude === undefined ? 0 : exclude.offsets[row + 1];
    for (let item = 0; item < items.rowCount; item++) {
      if (skip < skipEnd && exclude!.indices[skip] === item) {
        skip++;
        continue;
      }
      let score = itemBias === undefined ? 0 : itemBias[item];
      for (let a = 0; a < d; a++) score += rows.data[row * d + a] * items.data[item * d + a];
      score = Math.fround(score);
      if (score > scores[at + k - 1]) insertIntoTopK(indices, scores, at, k, item, score);
    }
  }
}
