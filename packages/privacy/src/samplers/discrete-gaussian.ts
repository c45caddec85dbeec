import type { WordStream } from '../random/word-stream.js';
import { AliasTable, COLUMN_BITS, COLUMNS } from './alias-table.js';
import { divide, expMinus, fixedFromNumber, multiply, ONE, PRECISION } from './fixed-point.js';

/** Largest σ drawn from one table: 2^12 / 256 = 16 standard deviations on either side. */
const DIRECT_SIGMA = 256;

/** One way to make a wide law from a narrower one: X = spacing·W + Z, Z from a fixed table. */
interface Level {
  /** σ of Z: a sixteenth of half the columns at most. */
  readonly sigma: number;
  /** X counts `spacing` for each unit of W. */
  readonly spacing: number;
  readonly columnBits: number;
  /** Used for σ above this; then (σ² − σ_Z²)/spacing² ≥ 28. */
  readonly above: number;
}
/** For σ up to 2,048. */
const NARROW: Level = { sigma: 192, spacing: 32, columnBits: COLUMN_BITS, above: DIRECT_SIGMA };
/** For what is wider: more columns, so that one word gains 8.3 bits of σ instead of 5. */
const WIDE: Level = { sigma: 1024, spacing: 320, columnBits: 15, above: 2048 };
/** Column c of a table stands for the number c − half its columns. */
const HALF = COLUMNS / 2;
const WIDE_HALF = 2 ** (WIDE.columnBits - 1);

/** Bound on the total-variation distance of one draw from the discrete Gaussian; see `DiscreteGaussian`. */
export const DISCRETE_GAUSSIAN_DISTANCE = 2 ** -180;

/**
 * Sampler of the discrete Gaussian on ℤ: Pr[x] ∝ exp(−x²/(2σ²)), for 1 ≤ σ ≤ 2^47.
 *
 * For σ ≤ 256 one alias table. Beyond, X = k·W + Z with Z of a fixed σ_Z and W of variance (σ² − σ_Z²)/k², W
 * again made this way: (k, σ_Z) = (32, 192) up to σ = 2,048, (320, 1024) above. Why this is the discrete
 * Gaussian of σ (convolution lemma, after Peikert 2010 and Micciancio & Walter 2017): completing the square,
 *
 *   Pr[X = x] ∝ Σ_w exp(−w²/(2σ_W²) − (x − kw)²/(2σ_Z²)) = exp(−x²/(2σ²)) · Σ_w exp(−(w − c·x)²/(2τ)),
 *   1/τ = 1/σ_W² + k²/σ_Z²,
 *
 * and by Poisson summation the last sum is √(2πτ)·(1 + 2Σ_j e^(−2π²τj²) cos 2πjcx), constant in x up to a
 * factor 1 ± 2e^(−2π²τ)·(1 + 10⁻⁹). Narrow levels: σ > 256 gives σ_W² ≥ 28, τ ≥ 15.75. Wide ones: σ > 2,048
 * gives σ_W² ≥ 30.7, and σ_Z²/k² = 10.24, so τ ≥ 7.67 and the factor is within 2^-217 of 1. What remains is
 * the tables: cut at 16σ (mass below 2^-186) and rounded (2^-190), at most 7 levels: 2^-180 in all.
 *
 * One 32-bit word per level, no rejection: the time does not depend on the draw. Tables: O(2^13) integer
 * operations once per σ, O(2^15) once per process.
 */
export class DiscreteGaussian {
  readonly sigma: number;
  readonly top: AliasTable;
  /** How many levels of either kind follow the top one; narrow ones come first. */
  readonly narrowLevels: number;
  readonly wideLevels: number;

  constructor(sigma: number) {
    if (!(sigma >= 1 && sigma <= 2 ** 47))
      throw new RangeError(
        `The discrete Gaussian needs 1 ≤ σ ≤ 2^47 grid steps; got ${sigma}. Choose another grid.`,
      );
    this.sigma = sigma;
    const exact = fixedFromNumber(sigma);
    let variance = multiply(exact, exact);
    const descend = ({ sigma: own, spacing, above }: Level): number => {
      let levels = 0;
      for (; variance > fixedSquare(above); levels++) {
        variance = (variance - fixedSquare(own)) / BigInt(spacing * spacing);
      }
      return levels;
    };
    this.wideLevels = descend(WIDE);
    this.narrowLevels = descend(NARROW);
    this.top = gaussianTable(variance, COLUMN_BITS);
  }

  /** Words one draw consumes. */
  get wordsPerDraw(): number {
    return 1 + this.narrowLevels + this.wideLevels;
  }

  /** One draw. `GaussianStream` makes many, and is faster. */
  draw(stream: WordStream): number {
    let x = this.top.draw(stream.next(), stream) - HALF;
    for (let level = 0; level < this.narrowLevels; level++) {
      x = x * NARROW.spacing + (narrowTable().draw(stream.next(), stream) - HALF);
    }
    for (let level = 0; level < this.wideLevels; level++) {
      x = x * WIDE.spacing + (wideTable().draw(stream.next(), stream) - WIDE_HALF);
    }
    return x;
  }
}

const fixedSquare = (value: number): bigint => BigInt(value * value) << PRECISION;

let narrow: AliasTable | undefined;
/** Table of all narrow levels. */
export function narrowTable(): AliasTable {
  narrow ??= gaussianTable(fixedSquare(NARROW.sigma), NARROW.columnBits);
  return narrow;
}

let wide: AliasTable | undefined;
/** Table of all wide levels. */
export function wideTable(): AliasTable {
  wide ??= gaussianTable(fixedSquare(WIDE.sigma), WIDE.columnBits);
  return wide;
}

/** Weights exp(−x²/(2·variance)) by the recurrence on successive quotients. */
function gaussianTable(variance: bigint, columnBits: number): AliasTable {
  const half = 2 ** (columnBits - 1);
  const weights = new Array<bigint>(2 * half).fill(0n);
  // ρ(x+1)/ρ(x) = q^(2x+1), q = e^(−1/(2·variance)).
  const q = expMinus(divide(ONE, 2n * variance));
  const qSquared = multiply(q, q);
  let weight = ONE;
  let quotient = q;
  for (let x = 0; x < half && weight > 0n; x++) {
    weights[half + x] = weight;
    weights[half - x] = weight;
    weight = multiply(weight, quotient);
    quotient = multiply(quotient, qSquared);
  }
  return new AliasTable(weights, columnBits);
}

const recent = new Map<number, DiscreteGaussian>();

/**
 * The sampler for σ; tables of the last few σ are kept, because a release asks for the same σ part after
 * part.
 */
export function discreteGaussian(sigma: number): DiscreteGaussian {
  let sampler = recent.get(sigma);
  if (sampler === undefined) {
    sampler = new DiscreteGaussian(sigma);
    if (recent.size >= 32) recent.delete(recent.keys().next().value!);
    recent.set(sigma, sampler);
  }
  return sampler;
}
