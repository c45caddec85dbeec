import { type Csr, choleskyInPlace } from '@hushrec/numerics';

/** Released item side, as a person's own step reads it. Float64, items by rows. */
export interface ReleasedItems {
  readonly width: number;
  /** v_j. */
  readonly vectors: Float64Array;
  /** b_j. */
  readonly effects: Float64Array;
  /** Public constant subtracted from every rating: the middle of the scale. */
  readonly offset: number;
}

/** What a person believes about herself before she looks at her ratings: u ~ N(0, I), c ~ N(0, σ²/interceptRidge). */
export interface PersonPrior {
  /** σ²: variance of a rating around its prediction. */
  readonly residualVariance: number;
  readonly interceptRidge: number;
}

/**
 * The posterior of one person's intercept and taste given the released items and her own ratings (probabilistic
 * matrix factorization, Salakhutdinov & Mnih 2008, E-step):
 *
 *   x_j = (1, v_j),  S = Σ_j x_j x_jᵀ + diag(interceptRidge, σ², …, σ²),  mean = S⁻¹ Σ_j (r_j − offset − b_j) x_j,
 *   covariance = σ² S⁻¹
 *
 * Entirely local: reads this person's row and what was released. O(n_i d² + d³). Buffers are reused between calls.
 */
export class PersonPosterior {
  /** c, u_1 … u_d. */
  readonly mean: Float64Array;
  /** σ² S⁻¹ of the taste part, full d × d. */
  readonly covariance: Float64Array;
  readonly #items: ReleasedItems;
  readonly #prior: PersonPrior;
  readonly #system: Float64Array;
  readonly #row: Float64Array;
  readonly #inverse: Float64Array;

  constructor(items: ReleasedItems, prior: PersonPrior) {
    const size = items.width + 1;
    this.#items = items;
    this.#prior = prior;
    this.mean = new Float64Array(size);
    this.covariance = new Float64Array(items.width * items.width);
    this.#system = new Float64Array(size * size);
    this.#row = new Float64Array(size);
    this.#inverse = new Float64Array(size * size);
  }

  solve(byUser: Csr, user: number): void {
    this.#accumulate(byUser, user);
    const size = this.mean.length;
    const system = this.#system;
    system[0]! += this.#prior.interceptRidge;
    for (let a = 1; a < size; a++) system[a * size + a]! += this.#prior.residualVariance;
    choleskyInPlace(system, size);
    this.#invertFactor();
    this.#finish();
  }

  #accumulate(byUser: Csr, user: number): void {
    const { width, vectors, effects, offset } = this.#items;
    const size = width + 1;
    const system = this.#system.fill(0);
    const right = this.mean.fill(0);
    const x = this.#row;
    x[0] = 1;
    for (let at = byUser.offsets[user]!; at < byUser.offsets[user + 1]!; at++) {
      const item = byUser.indices[at]!;
      const y = byUser.values[at]! - offset - effects[item]!;
      for (let a = 0; a < width; a++) x[a + 1] = vectors[item * width + a]!;
      for (let a = 0; a < size; a++) {
        const xa = x[a]!;
        right[a]! += y * xa;
        for (let b = a; b < size; b++) system[a * size + b]! += xa * x[b]!;
      }
    }
  }

  /** R = U⁻¹ (upper triangular) of the factor S = UᵀU. */
  #invertFactor(): void {
    const size = this.mean.length;
    const factor = this.#system;
    const inverse = this.#inverse.fill(0);
    for (let column = 0; column < size; column++) {
      inverse[column * size + column] = 1 / factor[column * size + column]!;
      for (let a = column - 1; a >= 0; a--) {
        let sum = 0;
        for (let b = a + 1; b <= column; b++) sum += factor[a * size + b]! * inverse[b * size + column]!;
        inverse[a * size + column] = -sum / factor[a * size + a]!;
      }
    }
  }

  /** mean = R Rᵀ right and covariance = σ² R Rᵀ without its intercept row. */
  #finish(): void {
    const size = this.mean.length;
    const width = size - 1;
    const inverse = this.#inverse;
    const right = this.#row;
    for (let c = 0; c < size; c++) {
      let sum = 0;
      for (let a = 0; a <= c; a++) sum += inverse[a * size + c]! * this.mean[a]!;
      right[c] = sum;
    }
    for (let a = 0; a < size; a++) {
      let sum = 0;
      for (let c = a; c < size; c++) sum += inverse[a * size + c]! * right[c]!;
      this.mean[a] = sum;
    }
    for (let a = 0; a < width; a++) {
      for (let b = a; b < width; b++) {
        let sum = 0;
        for (let c = b + 1; c < size; c++) sum += inverse[(a + 1) * size + c]! * inverse[(b + 1) * size + c]!;
        const value = this.#prior.residualVariance * sum;
        this.covariance[a * width + b] = value;
        this.covariance[b * width + a] = value;
      }
    }
  }
}
