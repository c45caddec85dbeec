import { KERNEL_WORDS, noiseKernel } from '../random/noise-kernel.js';
import { randomKey } from '../random/noise-keys.js';
import { WordStream } from '../random/word-stream.js';
import { AliasTable, COLUMNS } from './alias-table.js';
import { divide, expMinus, fixedFromNumber, multiply, ONE, PRECISION } from './fixed-point.js';

/** Largest σ drawn from one table: 2^12 / 256 = 16 standard deviations on either side. */
const DIRECT_SIGMA = 256;
/** σ of every level below the top one. */
const FINE_SIGMA = 192;
const FINE_VARIANCE = BigInt(FINE_SIGMA * FINE_SIGMA) << PRECISION;
/** Each level counts in units of 2^5 of the level below. */
const LEVEL_BITS = 5;
const LEVEL_VARIANCE_BITS = BigInt(2 * LEVEL_BITS);
const HALF = COLUMNS / 2;
/** Fewer draws than this are not worth a call into the kernel. */
const LEAST_FOR_KERNEL = 64;

/** Bound on the total-variation distance of one draw from the discrete Gaussian; see `DiscreteGaussian`. */
export const DISCRETE_GAUSSIAN_DISTANCE = 2 ** -180;

/**
 * Sampler of the discrete Gaussian on ℤ: Pr[x] ∝ exp(−x²/(2σ²)), for 1 ≤ σ ≤ 2^47.
 *
 * For σ ≤ 256 one alias table. Beyond, X = 32·W + Z with Z of σ = 192 and W of variance (σ² − 192²)/32²,
 * W again made this way. Why this is the discrete Gaussian of σ (convolution lemma, after Peikert 2010 and Micciancio &
 * Walter 2017): completing the square,
 *
 *   Pr[X = x] ∝ Σ_w exp(−w²/(2σ_W²) − (x − 32w)²/(2·192²)) = exp(−x²/(2σ²)) · Σ_w exp(−(w − c·x)²/(2τ)),
 *   1/τ = 1/σ_W² + 32²/192²,
 *
 * and by Poisson summation the last sum is √(2πτ)·(1 + 2Σ_k e^(−2π²τk²) cos 2πkcx), constant in x up to a factor
 * 1 ± 2e^(−2π²τ)·(1 + 10⁻⁹). Since σ > 256 gives σ_W² ≥ 28, τ ≥ 15.75 and that factor is within 2^-440 of 1.
 * What remains is the table: cut at 16σ (mass below 2^-186) and rounded (2^-190), at most 9 levels: 2^-180 in all.
 *
 * One 32-bit word per level, no rejection: the time does not depend on the draw. Tables: O(2^13) integer operations,
 * once per σ.
 */
export class DiscreteGaussian {
  readonly sigma: number;
  readonly #top: AliasTable;
  readonly #fineLevels: number;

  constructor(sigma: number) {
    if (!(sigma >= 1 && sigma <= 2 ** 47))
      throw new RangeError(
        `The discrete Gaussian needs 1 ≤ σ ≤ 2^47 grid steps; got ${sigma}. Choose another grid.`,
      );
    this.sigma = sigma;
    const { top, fineLevels } = discreteGaussianTables(sigma);
    this.#top = top;
    this.#fineLevels = fineLevels;
  }

  /** Words one draw consumes. */
  get wordsPerDraw(): number {
    return this.#fineLevels + 1;
  }

  /** Replaces target[begin … end) by itself plus independent draws. O((end − begin)·levels). */
  addTo(target: Float64Array, begin: number, end: number, stream: WordStream): void {
    const kernel = end - begin >= LEAST_FOR_KERNEL ? noiseKernel() : null;
    if (kernel === null) {
      for (let at = begin; at < end; at++) target[at]! += this.draw(stream);
      return;
    }
    const fine = fineTable();
    const perDraw = this.wordsPerDraw;
    const perBatch = Math.floor(KERNEL_WORDS / perDraw);
    for (let at = begin; at < end; ) {
      const draws = Math.min(perBatch, end - at);
      stream.takeInto(kernel, draws * perDraw);
      const { out } = kernel;
      for (const tied of kernel.draw(this.#top.packed, fine.packed, this.#fineLevels, draws)) {
        out[tied] = this.#decide(kernel.words.subarray(tied * perDraw, (tied + 1) * perDraw), stream);
      }
      for (let i = 0; i < draws; i++) target[at + i]! += out[i]!;
      at += draws;
    }
  }

  /** One draw; `addTo` is faster for many. */
  draw(stream: WordStream): number {
    let x = this.#top.draw(stream.next(), stream) - HALF;
    if (this.#fineLevels === 0) return x;
    const fine = fineTable();
    for (let level = 0; level < this.#fineLevels; level++) {
      x = x * (1 << LEVEL_BITS) + (fine.draw(stream.next(), stream) - HALF);
    }
    return x;
  }

  /** The draw that the words of one batch entry stand for, ties included. */
  #decide(words: Int32Array, stream: WordStream): number {
    let x = this.#top.draw(words[0]!, stream) - HALF;
    if (this.#fineLevels === 0) return x;
    const fine = fineTable();
    for (let level = 1; level <= this.#fineLevels; level++) {
      x = x * (1 << LEVEL_BITS) + (fine.draw(words[level]!, stream) - HALF);
    }
    return x;
  }
}

/** The table of the top level, that of all finer levels, and how many finer levels there are. */
export function discreteGaussianTables(sigma: number): {
  readonly top: AliasTable;
  readonly fine: AliasTable;
  readonly fineLevels: number;
} {
  const exact = fixedFromNumber(sigma);
  let variance = multiply(exact, exact);
  let fineLevels = 0;
  while (variance > BigInt(DIRECT_SIGMA * DIRECT_SIGMA) << PRECISION) {
    variance = (variance - FINE_VARIANCE) >> LEVEL_VARIANCE_BITS;
    fineLevels++;
  }
  return { top: gaussianTable(variance), fine: fineTable(), fineLevels };
}

let sharedFineTable: AliasTable | undefined;
function fineTable(): AliasTable {
  sharedFineTable ??= gaussianTable(FINE_VARIANCE);
  return sharedFineTable;
}

/** Column c stands for x = c − 4096; weights exp(−x²/(2·variance)) by the recurrence on successive quotients. */
function gaussianTable(variance: bigint): AliasTable {
  const weights = new Array<bigint>(COLUMNS).fill(0n);
  // ρ(x+1)/ρ(x) = q^(2x+1), q = e^(−1/(2·variance)).
  const q = expMinus(divide(ONE, 2n * variance));
  const qSquared = multiply(q, q);
  let weight = ONE;
  let quotient = q;
  for (let x = 0; x < HALF && weight > 0n; x++) {
    weights[HALF + x] = weight;
    weights[HALF - x] = weight;
    weight = multiply(weight, quotient);
    quotient = multiply(quotient, qSquared);
  }
  return new AliasTable(weights);
}

const recent = new Map<number, DiscreteGaussian>();

/** The sampler for σ; tables of the last few σ are kept, because a release asks for the same σ part after part. */
export function discreteGaussian(sigma: number): DiscreteGaussian {
  let sampler = recent.get(sigma);
  if (sampler === undefined) {
    sampler = new DiscreteGaussian(sigma);
    if (recent.size >= 32) recent.delete(recent.keys().next().value!);
    recent.set(sigma, sampler);
  }
  return sampler;
}

/** Fills `target` with draws of a fresh secret key and keeps none of it: for timing the sampler. Released noise has its recorder. */
export function drawDiscreteGaussian(target: Float64Array, sigma: number): void {
  target.fill(0);
  discreteGaussian(sigma).addTo(target, 0, target.length, new WordStream(randomKey()));
}
