import {
  choleskyInPlace,
  choleskySolve,
  type FactorMatrix,
  NotPositiveDefiniteError,
  packedLength,
  zeroFactors,
} from '@hushrec/numerics';
import type { Bag } from './encoder/item-encoder.js';
import { LinearEncoder } from './encoder/linear-encoder.js';
import type { NoisyQuadratic } from './noisy-quadratic.js';

/** Where conjugate gradients stop: squared residual over that of the start, in the preconditioner's norm. */
const tolerance = 1e-10;

export interface LinearFitOptions {
  /** Items have a vector of their own besides what their tokens say. */
  readonly itemIds: boolean;
  /** κ_j: pull of an item's vector towards what its tokens say. */
  readonly ownRidge: Float64Array;
  /** ρ: pull of token vectors towards 0. */
  readonly tokenRidge: number;
}

/**
 * The linear encoder fitted exactly instead of by descent: token vectors θ_k and item vectors v_j that
 * minimize
 *
 *   F(V) + ½ Σ_j κ_j ‖v_j − θᵀx_j‖² + ½ ρ Σ_k ‖θ_k‖²,
 *
 * F being the noisy quadratic, so that an item with few ratings stays near what its features say and one with
 * many goes its own way. For given θ the item's part is v_j = H_j⁻¹(b̂_j + κ_j θᵀx_j) with
 * H_j = Π₊(Â_j) + C + (λ_j + κ_j)I, which leaves for m_j = θᵀx_j the quadratic ½ m_jᵀS_j m_j − s_jᵀm_j with
 * S_j = κ_j I − κ_j² H_j⁻¹ and s_j = κ_j H_j⁻¹ b̂_j; θ follows by conjugate gradients, scaled by the
 * diagonal. Without own vectors v_j = m_j, S_j = H_j at κ = 0 and s_j = b̂_j.
 *
 * Reads released sums and public features only: post-processing. O(m·d³) once and O(m·d² + tokens·d) a step.
 */
export class LinearFit {
  readonly #options: LinearFitOptions;
  /** Applies the features: its parameters hold the direction of the current step. Absent without features. */
  readonly #tokens: LinearEncoder | undefined;
  readonly #theta: Float64Array;

  constructor(bags: readonly Bag[], width: number, options: LinearFitOptions) {
    this.#options = options;
    if (bags.length > 0) this.#tokens = new LinearEncoder(bags, width, 1, () => 0);
    this.#theta = new Float64Array(this.#tokens?.parameters.length ?? 0);
  }

  /**
   * Writes the minimizing v_j to `items`; θ starts from the last call's. At most `steps` steps of conjugate
   * gradients.
   */
  fit(quadratic: NoisyQuadratic, items: FactorMatrix, steps: number): void {
    const { itemIds, ownRidge } = this.#options;
    const reduced = this.#reduce(quadratic);
    const predicted = zeroFactors(items.rowCount, items.width);
    if (this.#tokens) {
      this.#solveTokens(this.#tokens, reduced, steps);
      this.#tokens.parameters.set(this.#theta);
      this.#tokens.encode(predicted);
    }
    if (!itemIds) {
      items.data.set(predicted.data);
      return;
    }
    const product = zeroFactors(items.rowCount, items.width);
    multiply(reduced.matrices, predicted, product);
    const { width } = items;
    for (let item = 0, at = 0; item < items.rowCount; item++) {
      const inverse = 1 / ownRidge[item];
      for (let a = 0; a < width; a++, at++) {
        // H⁻¹(b + κm) = s/κ + m − S m/κ
        items.data[at] = predicted.data[at] + (reduced.vectors.data[at] - product.data[at]) * inverse;
      }
    }
  }

  /** S_j (packed), s_j, and the mean of S_j's diagonal. */
  #reduce(quadratic: NoisyQuadratic): Reduced {
    const { itemCount, width } = quadratic;
    const { itemIds, ownRidge } = this.#options;
    const matrices = new Float32Array(itemCount * packedLength(width));
    const vectors = zeroFactors(itemCount, width);
    const diagonal = new Float64Array(itemCount);
    const system = new Float64Array(width * width);
    const vector = new Float64Array(width);
    for (let item = 0, to = 0; item < itemCount; item++) {
      const own = itemIds ? ownRidge[item] : 0;
      quadratic.system(item, system, vector);
      if (itemIds) {
        factorize(system, width, own, () => quadratic.system(item, system, vector));
        choleskySolve(system, width, vector);
        for (let a = 0; a < width; a++) vector[a] *= own;
      }
      vectors.data.set(vector, item * width);
      for (let a = 0; a < width; a++) {
        if (itemIds) {
          vector.fill(0);
          vector[a] = 1;
          choleskySolve(system, width, vector);
        }
        for (let b = a; b < width; b++, to++) {
          const entry = itemIds ? own * ((a === b ? 1 : 0) - own * vector[b]) : system[a * width + b];
          matrices[to] = entry;
          if (a === b) diagonal[item] += entry / width;
        }
      }
    }
    return { matrices, vectors, diagonal };
  }

  /** θ ← solution of (Σ_j x_j x_jᵀ ⊗ S_j + ρI) θ = Σ_j x_j ⊗ s_j. */
  #solveTokens(tokens: LinearEncoder, { matrices, vectors, diagonal }: Reduced, steps: number): void {
    const { tokenRidge } = this.#options;
    const { width, itemCount } = tokens;
    const theta = this.#theta;
    const scale = tokens.squaredWeights(diagonal).map((sum) => 1 / (sum + tokenRidge));
    const direction = tokens.parameters;
    const image = new Float32Array(theta.length);
    const predicted = zeroFactors(itemCount, width);
    const product = zeroFactors(itemCount, width);
    const apply = () => {
      tokens.encode(predicted);
      multiply(matrices, predicted, product);
      image.fill(0);
      tokens.addGradient(product, image);
      for (let at = 0; at < image.length; at++) image[at] += tokenRidge * direction[at];
    };
    const residual = new Float32Array(theta.length);
    tokens.addGradient(vectors, residual);
    direction.set(theta);
    apply();
    let square = 0;
    for (let at = 0; at < theta.length; at++) {
      residual[at] -= image[at];
      direction[at] = residual[at] * scale[(at / width) | 0];
      square += residual[at] * direction[at];
    }
    const enough = tolerance * square;
    for (let step = 0; step < steps && square > enough; step++) {
      apply();
      let curvature = 0;
      for (let at = 0; at < theta.length; at++) curvature += direction[at] * image[at];
      const length = square / curvature;
      let next = 0;
      for (let at = 0; at < theta.length; at++) {
        theta[at] += length * direction[at];
        residual[at] -= length * image[at];
        next += residual[at] ** 2 * scale[(at / width) | 0];
      }
      const kept = next / square;
      square = next;
      for (let at = 0; at < theta.length; at++) {
        direction[at] = residual[at] * scale[(at / width) | 0] + kept * direction[at];
      }
    }
  }
}

interface Reduced {
  readonly matrices: Float32Array;
  readonly vectors: FactorMatrix;
  readonly diagonal: Float64Array;
}

/**
 * Cholesky factor of system + ridge·I, in place. The system was rounded to float32, which moves it by up to
 * d·2⁻²⁴ of its largest diagonal entry and can cost it its definiteness where sums are large beside every
 * ridge; then twice that is added first.
 */
function factorize(system: Float64Array, width: number, ridge: number, restore: () => void): void {
  let largest = 0;
  for (let a = 0; a < width; a++) largest = Math.max(largest, system[a * width + a]);
  const lift = (by: number) => {
    for (let a = 0; a < width; a++) system[a * width + a] += by;
  };
  lift(ridge);
  if (choleskyInPlace(system, width) < 0) return;
  restore();
  lift(ridge + width * 2 ** -23 * largest);
  const pivot = choleskyInPlace(system, width);
  if (pivot >= 0) throw new NotPositiveDefiniteError(pivot);
}

/** Row j of `out` ← S_j × row j of `rows`, S_j packed upper triangles. O(m·d²). */
function multiply(matrices: Float32Array, rows: FactorMatrix, out: FactorMatrix): void {
  const { width, rowCount } = rows;
  out.data.fill(0);
  for (let row = 0, at = 0; row < rowCount; row++) {
    const from = row * width;
    for (let a = 0; a < width; a++) {
      const value = rows.data[from + a];
      let sum = matrices[at++] * value;
      for (let b = a + 1; b < width; b++, at++) {
        const entry = matrices[at];
        sum += entry * rows.data[from + b];
        out.data[from + b] += entry * value;
      }
      out.data[from + a] += sum;
    }
  }
}
