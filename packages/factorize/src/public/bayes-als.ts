import {
  type Csr,
  type Engine,
  type FactorMatrix,
  randomFactors,
  sharedFloat32,
  sharedUint32,
  symmetricEigen,
  transpose,
  zeroFactors,
} from '@hushrec/numerics';
import { defineMethod } from '../define-method.js';
import { eachRound } from '../each-round.js';
import { within } from '../search-space.js';
import type { SettingsSchema } from '../settings.js';
import { itemCounts } from '../shared/averages.js';
import { meanRating } from '../shared/mean-rating.js';
import { planWithoutPrivacy } from '../without-privacy.js';

const schema = {
  rank: { type: 'integer', default: 32, min: 1, max: 512, description: 'Length of the vectors.' },
  rounds: { type: 'integer', default: 15, min: 1, max: 1000, description: 'Sweeps over users and items.' },
} as const satisfies SettingsSchema;

/**
 * Alternating least squares with a prior for every direction, all of them learnt from the ratings (empirical
 * Bayes; variational factorization of Lim & Teh 2007 with the factorized variances and the rotations of
 * Raiko, Ilin & Karhunen 2007):
 *
 *   r_ij ~ N(μ + c_i + b_j + u_i·v_j, σ²),   u_i ~ N(0, I),   v_jk ~ N(0, β_k),   c_i ~ N(0, γ),   b_j ~ N(0, η)
 *
 * Every number has a posterior mean and variance. A half-step solves for the means given the other side's
 * means x and variances s, (Σ x xᵀ + Σ diag s + σ² P⁻¹) m = Σ x y with P the prior variances, so that a
 * vector of which little is known moves others little. Then σ², β, γ and η are the values under which the
 * posterior agrees with itself: a direction that only fits noise gets a small β, and a strong one is hardly
 * shrunk, where the one ridge of `als` doubts both alike. Variances of the other side count in full after the
 * first third of the rounds: from random vectors, they would put out directions before these have learnt
 * anything.
 *
 * O(entries · d² + rows · d³) a round, as `als`; each row has d + 1 more entries.
 */
export const bayesAls = defineMethod({
  id: 'bayes-als',
  title: 'Alternating least squares with a learnt prior a direction',
  paper: 'Lim & Teh 2007; Raiko, Ilin & Karhunen 2007',
  feedback: ['explicit'],
  protects: [],
  settings: schema,
  needs: 'ratings',
  search: { rank: within(2) },
  plan: () => planWithoutPrivacy('exact item vectors and biases'),
  async train({ ratings, settings, engine, random, progress, signal }) {
    const { rank, rounds } = settings;
    const { byUser } = ratings;
    const offset = meanRating(byUser); // μ
    const spread = varianceAround(offset, byUser.values);
    const guess = (guessedShare * spread) / rank;
    const people = new RowSystems(byUser, rank, engine);
    const items = new RowSystems(transpose(byUser), rank, engine);
    people.prior.fill(1).fill(guessedShare * spread, rank); // I, γ
    items.prior.fill(guess).fill(guessedShare * spread, rank); // β, η
    items.startFrom(randomFactors(ratings.itemCount, rank, Math.sqrt(guess), random)); // V ← N(0, β)
    let noise = spread / 2; // σ²
    const early = Math.ceil(rounds / 3);
    for (const round of eachRound(rounds, { progress, signal })) {
      const doubt = Math.min(1, round / early);
      await people.solve(items, { offset, noise, doubt }); // (U, c) given (V, b)
      await items.solve(people, { offset, noise, doubt }); // (V, b) given (U, c)
      if (round >= early) {
        const error = await expectedSquaredError({ people, items, offset }, { rows: byUser, engine });
        noise = Math.max(error, leastPart * spread);
      }
      await turnToOwnDirections(people, items); // E u uᵀ ← I, E v vᵀ ← diag β
      people.prior[rank] = Math.max(people.meanSquare(rank), leastPart * spread); // γ
      const least = round < early ? guess : leastPart * spread;
      for (let k = 0; k < rank; k++) items.prior[k] = Math.max(items.meanSquare(k), least); // β
      items.prior[rank] = Math.max(items.meanSquare(rank), leastPart * spread); // η
    }
    const { means } = items;
    const { vectors, foldIn } = withOneRidge({ people, items, noise }, byUser);
    return {
      model: {
        kind: 'factors',
        feedback: 'explicit',
        rank,
        itemFactors: vectors,
        itemBias: Float32Array.from({ length: means.rowCount }, (_, j) => means.data[j * (rank + 1) + rank]),
        offset,
        foldIn,
      },
    };
  },
});

/** What a round leaves. */
interface Fit {
  readonly people: RowSystems;
  readonly items: RowSystems;
  readonly offset: number;
  readonly noise: number;
}

/**
 * The parts of the ratings' variance that item biases, intercepts and vectors are each expected to explain
 * before anything is known.
 */
const guessedShare = 0.3;
/**
 * Variances are at least this part of the ratings' own, so that nothing divides by 0 where a fit is exact.
 */
const leastPart = 1e-9;

/** Of all values; 1 where they are all alike, which then says nothing. */
function varianceAround(mean: number, values: Float32Array): number {
  let sum = 0;
  for (const value of values) sum += (value - mean) ** 2;
  return sum > 0 ? sum / values.length : 1;
}

/**
 * Posterior means and variances of one side: d coordinates of a vector a row, then the row's own scalar. The
 * systems that they solve are those of `rows` with one more entry for each of these: a unit vector of target
 * 0, whose weight is what its diagonal gets.
 */
class RowSystems {
  readonly means: FactorMatrix;
  readonly variances: FactorMatrix;
  /** Of each coordinate and of the scalar. */
  readonly prior: Float64Array;
  readonly #rows: Csr;
  readonly #ones: Csr;
  readonly #extended: Csr;
  readonly #weights: Float32Array;
  readonly #engine: Engine;

  constructor(rows: Csr, rank: number, engine: Engine) {
    const width = rank + 1;
    this.means = zeroFactors(rows.rowCount, width);
    this.variances = zeroFactors(rows.rowCount, width);
    this.prior = new Float64Array(width);
    this.#rows = rows;
    this.#ones = { ...rows, values: sharedFloat32(rows.values.length).fill(1) };
    this.#extended = withUnitEntries(rows, width);
    this.#weights = sharedFloat32(this.#extended.values.length).fill(1);
    this.#engine = engine;
  }

  startFrom({ rowCount, width, data }: FactorMatrix): void {
    for (let row = 0; row < rowCount; row++)
      this.means.data.set(data.subarray(row * width, (row + 1) * width), row * this.means.width);
  }

  /** Mean of m² + s over the rows, of one coordinate. */
  meanSquare(k: number): number {
    const { rowCount, width, data } = this.means;
    let sum = 0;
    for (let at = k; at < data.length; at += width) sum += data[at] ** 2 + this.variances.data[at];
    return sum / Math.max(1, rowCount);
  }

  /** E x xᵀ of the vectors, without the scalar. */
  async secondMoment(): Promise<Float64Array> {
    const { rowCount, width } = this.means;
    const rank = width - 1;
    const products = await this.#engine.gramian(this.means);
    const moment = new Float64Array(rank * rank);
    for (let a = 0; a < rank; a++) {
      for (let b = 0; b < rank; b++) moment[a * rank + b] = products[a * width + b] / Math.max(1, rowCount);
      moment[a * rank + a] = this.meanSquare(a);
    }
    return moment;
  }

  /** x ← M x for every vector, and of its variances what M leaves on the diagonal. */
  turn(matrix: Float64Array): void {
    const { rowCount, width } = this.means;
    const rank = width - 1;
    const [mean, variance] = [new Float64Array(rank), new Float64Array(rank)];
    for (let row = 0; row < rowCount; row++) {
      const means = this.means.data.subarray(row * width, row * width + rank);
      const variances = this.variances.data.subarray(row * width, row * width + rank);
      mean.fill(0);
      variance.fill(0);
      for (let a = 0; a < rank; a++) {
        for (let b = 0; b < rank; b++) {
          const entry = matrix[a * rank + b];
          mean[a] += entry * means[b];
          variance[a] += entry ** 2 * variances[b];
        }
      }
      means.set(mean);
      variances.set(variance);
    }
  }

  /** Means and variances given those of the other side, whose variances count by `doubt`. */
  async solve(
    other: RowSystems,
    { offset, noise, doubt }: { readonly offset: number; readonly noise: number; readonly doubt: number },
  ): Promise<void> {
    const { rowCount, width } = this.means;
    const fixed = asSeen(other.means, 1);
    const unknown = await this.#sums(asSeen(other.variances, 0)); // Σ s
    const squares = await this.#sums({ ...fixed, data: fixed.data.map((x) => x * x) }); // Σ x²
    const { offsets, values } = this.#extended;
    for (let row = 0; row < rowCount; row++) {
      let at = offsets[row];
      for (let k = this.#rows.offsets[row]; k < this.#rows.offsets[row + 1]; k++) {
        const column = this.#rows.indices[k];
        values[at++] = this.#rows.values[k] - offset - other.means.data[column * width + width - 1]; // y
      }
      for (let k = 0; k < width; k++) {
        const own = row * width + k;
        const onDiagonal = doubt * unknown.data[own] + noise / this.prior[k];
        this.#weights[at++] = onDiagonal;
        this.variances.data[own] = noise / (squares.data[own] + onDiagonal);
      }
    }
    await this.#engine.solveRows({
      rows: this.#extended,
      fixed: withUnitRows(fixed),
      out: this.means,
      ridge: 0,
      weights: this.#weights,
    });
  }

  async #sums(table: FactorMatrix): Promise<FactorMatrix> {
    const out = zeroFactors(this.means.rowCount, table.width);
    await this.#engine.sumBags({ bags: this.#ones, table, out });
    return out;
  }
}

/** What the other side multiplies: the vectors, and `constant` where they have their own scalar. */
function asSeen({ rowCount, width, data }: FactorMatrix, constant: number): FactorMatrix {
  const seen = zeroFactors(rowCount, width);
  seen.data.set(data);
  for (let at = width - 1; at < seen.data.length; at += width) seen.data[at] = constant;
  return seen;
}

/** Every row's entries, then one for each unit vector, which are the columns behind its own. */
function withUnitEntries({ rowCount, columnCount, offsets, indices }: Csr, width: number): Csr {
  const entries = indices.length + rowCount * width;
  const extended = { offsets: sharedUint32(rowCount + 1), indices: sharedUint32(entries) };
  for (let row = 0, at = 0; row < rowCount; row++) {
    extended.indices.set(indices.subarray(offsets[row], offsets[row + 1]), at);
    at += offsets[row + 1] - offsets[row];
    for (let k = 0; k < width; k++) extended.indices[at++] = columnCount + k;
    extended.offsets[row + 1] = at;
  }
  return { rowCount, columnCount: columnCount + width, ...extended, values: sharedFloat32(entries) };
}

function withUnitRows({ rowCount, width, data }: FactorMatrix): FactorMatrix {
  const all = zeroFactors(rowCount + width, width);
  all.data.set(data);
  for (let k = 0; k < width; k++) all.data[(rowCount + k) * width + k] = 1;
  return all;
}

/**
 * Turns and stretches both sides, which changes no prediction: people's vectors then have E u uᵀ = I, as
 * their prior says, and those of items E v vᵀ = diag β. Otherwise rounds would take long to find the
 * directions that a prior of its own each can tell apart.
 */
async function turnToOwnDirections(people: RowSystems, items: RowSystems): Promise<void> {
  const rank = people.means.width - 1;
  const { values, vectors } = symmetricEigen(await people.secondMoment(), rank);
  const stretched = (power: number) =>
    vectors.map(
      (entry, at) => entry * Math.max(values[Math.floor(at / rank)], leastPart * values[rank - 1]) ** power,
    );
  people.turn(stretched(-1 / 2));
  items.turn(stretched(1 / 2));
  const own = symmetricEigen(await items.secondMoment(), rank).vectors;
  people.turn(own);
  items.turn(own);
}

/** E (r_ij − prediction)² over all ratings: of the means, and what both sides' variances add. */
async function expectedSquaredError(
  { people, items, offset }: Pick<Fit, 'people' | 'items' | 'offset'>,
  { rows, engine }: { readonly rows: Csr; readonly engine: Engine },
): Promise<number> {
  const products = (of: (mean: number, variance: number) => number) =>
    engine.predictPairs(numbersOf(people, 0, of), numbersOf(items, 1, of), rows);
  const predicted = await products((mean) => mean);
  const squares = await products((mean) => mean ** 2);
  const meanSquares = await products((mean, variance) => mean ** 2 + variance);
  let sum = 0;
  for (let k = 0; k < rows.values.length; k++)
    sum += (rows.values[k] - offset - predicted[k]) ** 2 + meanSquares[k] - squares[k];
  return sum / Math.max(1, rows.values.length);
}

/** Some number of each coordinate, then of the row's own scalar, and 1 where the other side has its own. */
function numbersOf(
  { means, variances }: RowSystems,
  place: 0 | 1,
  of: (mean: number, variance: number) => number,
): FactorMatrix {
  const { rowCount, width } = means;
  const numbers = zeroFactors(rowCount, width + 1);
  for (let row = 0; row < rowCount; row++) {
    const own = Array.from({ length: width }, (_, k) =>
      of(means.data[row * width + k], variances.data[row * width + k]),
    );
    own.splice(width - place, 0, 1);
    numbers.data.set(own, row * (width + 1));
  }
  return numbers;
}

/**
 * Item vectors stretched so that one ridge for all directions is what their own variances and the noise ask
 * for in use: Σ_k of n ratings with s̄_k each, the mean over ratings, and σ² once. Exact for someone with the
 * mean number of ratings.
 */
function withOneRidge({ people, items, noise }: Pick<Fit, 'people' | 'items' | 'noise'>, rows: Csr) {
  const { rowCount, width, data } = items.means;
  const rank = width - 1;
  const each = Math.max(1, rows.values.length / Math.max(1, rows.rowCount)); // n̄
  const doubts = new Float64Array(rank); // Σ s̄ over one's ratings
  const counts = itemCounts(rows);
  for (let item = 0; item < rowCount; item++)
    for (let k = 0; k < rank; k++) doubts[k] += counts[item] * items.variances.data[item * width + k];
  const ridges = doubts.map((sum) => (each * sum) / Math.max(1, rows.values.length) + noise);
  const mean = ridges.reduce((sum, ridge) => sum + ridge, 0) / rank;
  const ridge = Math.max((mean - noise) / each, leastPart * noise); // s̄
  const vectors = new Float32Array(rowCount * rank);
  for (let item = 0; item < rowCount; item++)
    for (let k = 0; k < rank; k++)
      vectors[item * rank + k] = data[item * width + k] * Math.sqrt(mean / ridges[k]);
  return {
    vectors,
    foldIn: {
      ridge,
      ridgeExponent: 1,
      ridgeCountOffset: noise / ridge, // s̄ (n + σ²/s̄) = n s̄ + σ²
      interceptRidge: noise / people.prior[rank],
      unobservedWeight: 0,
    },
  };
}
