import { minimizeOnBall, QuadraticOnBall } from '../../friedman/methods/ball-constrained-quadratic.js';
import type { ProfileLoss, ProfileSums } from './profile-statistics.js';

/**
 * Minimises the noised loss of every row over the ball ‖q‖ ≤ √(1/λ) (Ran et al. 2024, eqs. 10 and 21):
 *
 *   qᵀAq − qᵀ(2g + b) + ρ‖q‖²,   strawman: A = G + α₀G_all + B, ρ = λ(n_pos + α₀n + η);
 *   others: A = (1−α₀)(G + B) + α₀G_all, ρ = λ((1−α₀)(n_pos + η) + α₀n);  optimal: α₀ = 1, A = G_all for all rows.
 *
 * `sums` in real units, noised; `gramian` = Σppᵀ over all columns and `columns` their number, both public.
 * The noised quadratic may be indefinite; the minimum over the ball is exact. O(rows · d³), O(rows · d²) for
 * optimal.
 */
export function solveProfiles(
  sums: ProfileSums,
  gramian: Float64Array,
  columns: number,
  loss: ProfileLoss,
): Float64Array {
  const { rank: width, ridge, variant } = loss;
  const radius = Math.sqrt(1 / ridge);
  const unobserved = variant === 'optimal' ? 1 : loss.unobservedWeight;
  const positiveWeight = variant === 'strawman' ? 1 : 1 - unobserved;
  const rows = sums.linear.length / width;
  const out = new Float64Array(sums.linear.length);
  const matrix = new Float64Array(width * width);
  const vector = new Float64Array(width);

  const common = gramian.map((value) => unobserved * value);
  for (let a = 0; a < width; a++) common[a * width + a] += ridge * unobserved * columns;
  const shared = variant === 'optimal' ? new QuadraticOnBall(common, width) : undefined;
  for (let row = 0; row < rows; row++) {
    for (let c = 0; c < width; c++) vector[c] = sums.linear[row * width + c] / 2;
    if (shared !== undefined) {
      out.set(shared.minimize(vector, radius), row * width);
      continue;
    }
    matrix.set(common);
    addPositives(matrix, sums, row, positiveWeight, loss);
    out.set(minimizeOnBall(matrix, vector, width, radius), row * width);
  }
  return out;
}

function addPositives(
  matrix: Float64Array,
  sums: ProfileSums,
  row: number,
  weight: number,
  { rank: width, variant, ridge }: ProfileLoss,
): void {
  const rowRidge = ridge * weight * sums.counts[row];
  if (variant === 'symmetric') {
    let k = (row * width * (width + 1)) / 2;
    for (let a = 0; a < width; a++) {
      for (let c = a; c < width; c++) {
        const value = weight * sums.quadratic[k++];
        matrix[a * width + c] += value;
        if (c !== a) matrix[c * width + a] += value;
      }
    }
  } else {
    // Only the symmetric part of a full noise matrix acts in qᵀBq.
    const at = row * width * width;
    for (let a = 0; a < width; a++) {
      for (let c = 0; c < width; c++) {
        const both = sums.quadratic[at + a * width + c] + sums.quadratic[at + c * width + a];
        matrix[a * width + c] += (weight * both) / 2;
      }
    }
  }
  for (let a = 0; a < width; a++) matrix[a * width + a] += rowRidge;
}

/** Σppᵀ over all rows, full d × d. O(rows · d²). */
export function gramianOf(rows: Float64Array, width: number): Float64Array {
  const gramian = new Float64Array(width * width);
  for (let begin = 0; begin < rows.length; begin += width) {
    for (let a = 0; a < width; a++)
      for (let c = 0; c < width; c++) gramian[a * width + c] += rows[begin + a] * rows[begin + c];
  }
  return gramian;
}
