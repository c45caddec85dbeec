import { type Csr, choleskyInPlace, choleskySolve } from '@hushrec/numerics';
import type { PersonStatistic } from '../people/people.js';
import { clippedShape, signedSteps } from './jointly-clipped.js';

/** A finished model, as a person's own device would use it: released numbers only. */
export interface JudgedModel {
  readonly width: number;
  /** v_j, items by rows. */
  readonly vectors: Float64Array;
  /** b_j. */
  readonly effects: Float64Array;
  readonly offset: number;
  /** Ridge of a person's level, in ratings. */
  readonly interceptRidge: number;
  /** Ridge of a person's taste, and a larger one. */
  readonly ridge: number;
  readonly cautiousRidge: number;
  /** Most that one person's mean gain counts, either way: a squared rating. */
  readonly bound: number;
}

/** Ratings of one person that judge. */
const MOST_JUDGED = 64;

/**
 * What vectors are worth to people: Σ_i clip(e_i − e_i′, ±bound), e_i the mean squared error of i's own ratings when each is predicted from all her others by
 * her level alone, e_i′ by level and taste; with the ridge of tastes as it is, and with a larger one. Left-out errors are those of a linear fit, y − ŷ over
 * 1 − h with h of the hat matrix, so everybody solves one small system per ridge. People with fewer than two ratings say nothing.
 *
 * Sensitivity `bound` each: everyone adds one number between −bound and bound (replacing a person: 2·bound). She looks at her own ratings and at released
 * numbers. She looks at `MOST_JUDGED` of her ratings at most, evenly spaced in the order of items: what a few dozen errors say about a model many more do not say better
 * beside the noise, and people with long histories would cost most. O(people · d² · (MOST_JUDGED + d)).
 */
export const vectorGains: PersonStatistic<JudgedModel, 'plain' | 'cautious'> = {
  id: 'vector-gains',
  parallel: 'shares',
  shapes: ({ bound }) => ({
    plain: clippedShape('bound on a gain', 1, bound),
    cautious: clippedShape('bound on a gain', 1, bound),
  }),
  add({ rows }, model, { plain, cautious }) {
    const own = new LeftOutErrors(model);
    for (let user = 0; user < rows.rowCount; user++) {
      const begin = rows.offsets[user];
      const end = rows.offsets[user + 1];
      if (end - begin < 2) continue;
      own.look(rows, begin, end);
      const byLevel = own.byLevel();
      plain[0] += signedSteps(byLevel - own.byTaste(model.ridge), model.bound);
      cautious[0] += signedSteps(byLevel - own.byTaste(model.cautiousRidge), model.bound);
    }
  },
};

/** One person after the other: mean squared errors of ratings that are left out one at a time. */
class LeftOutErrors {
  readonly #model: JudgedModel;
  readonly #size: number;
  readonly #gramian: Float64Array;
  readonly #factor: Float64Array;
  readonly #right: Float64Array;
  readonly #solution: Float64Array;
  readonly #row: Float64Array;
  #count = 0;
  readonly #rows: Float64Array;
  readonly #targets = new Float64Array(MOST_JUDGED);

  constructor(model: JudgedModel) {
    this.#model = model;
    this.#size = model.width + 1;
    this.#gramian = new Float64Array(this.#size ** 2);
    this.#factor = new Float64Array(this.#size ** 2);
    this.#right = new Float64Array(this.#size);
    this.#solution = new Float64Array(this.#size);
    this.#row = new Float64Array(this.#size);
    this.#rows = new Float64Array(MOST_JUDGED * this.#size);
  }

  /** The person's rows x_j = (1, v_j), targets y_j = r_j − offset − b_j, Σ x xᵀ (upper triangle) and Σ y x. O(n d²). */
  look({ indices, values }: Csr, begin: number, end: number): void {
    const { width, vectors, effects, offset } = this.#model;
    const size = this.#size;
    const [rows, targets, gramian, right] = [this.#rows, this.#targets, this.#gramian, this.#right];
    gramian.fill(0);
    right.fill(0);
    const own = end - begin;
    const count = Math.min(own, MOST_JUDGED);
    this.#count = count;
    for (let k = 0; k < count; k++) {
      const at = begin + (count === own ? k : Math.floor((k * own) / count));
      const item = indices[at];
      const target = values[at] - offset - effects[item];
      const base = k * size;
      targets[k] = target;
      rows[base] = 1;
      for (let a = 0; a < width; a++) rows[base + 1 + a] = vectors[item * width + a];
      for (let a = 0; a < size; a++) {
        const value = rows[base + a];
        right[a] += target * value;
        for (let b = a; b < size; b++) gramian[a * size + b] += value * rows[base + b];
      }
    }
  }

  byLevel(): number {
    const count = this.#count;
    const share = 1 / (count + this.#model.interceptRidge);
    const level = this.#right[0] * share;
    let sum = 0;
    for (let k = 0; k < count; k++) sum += ((this.#targets[k] - level) / (1 - share)) ** 2;
    return sum / count;
  }

  /** NaN, which counts as no gain, where the system has no solution. */
  byTaste(ridge: number): number {
    const size = this.#size;
    const count = this.#count;
    const [factor, solution, row, rows] = [this.#factor, this.#solution, this.#row, this.#rows];
    factor.set(this.#gramian);
    factor[0] += this.#model.interceptRidge;
    for (let a = 1; a < size; a++) factor[a * size + a] += ridge;
    if (choleskyInPlace(factor, size) >= 0) return Number.NaN;
    solution.set(this.#right);
    choleskySolve(factor, size, solution);
    let sum = 0;
    for (let k = 0; k < count; k++) {
      const base = k * size;
      let fit = 0;
      let hat = 0;
      for (let a = 0; a < size; a++) {
        let value = rows[base + a]; // U⁻ᵀx, whose square is xᵀA⁻¹x
        fit += value * solution[a];
        for (let b = 0; b < a; b++) value -= factor[b * size + a] * row[b];
        row[a] = value / factor[a * size + a];
        hat += row[a] ** 2;
      }
      sum += ((this.#targets[k] - fit) / (1 - hat)) ** 2;
    }
    return sum / count;
  }
}
