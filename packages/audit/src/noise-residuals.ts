import type { CalibratedPlan } from '@hushrec/privacy';
import type { Transcript } from './transcript.js';

/** Noise of one released part in units of its planned scale, as it would be if `exact` were the truth. */
export interface Residuals {
  readonly key: string;
  readonly values: Float64Array;
  /** What the planned law says of one coordinate z: means and variances of its size, and its variance. */
  readonly law: NoiseLaw;
}

export interface NoiseLaw {
  /** How size is measured: z² for Gaussian noise, |z| for Laplace. */
  readonly size: 'square' | 'absolute';
  readonly meanSize: number;
  readonly varianceOfSize: number;
  readonly variance: number;
  /** Two independent draws of a coarse law are often equal; of a fine one never. */
  readonly fine: boolean;
}

const gaussianLaw: NoiseLaw = { size: 'square', meanSize: 1, varianceOfSize: 2, variance: 1, fine: true };

/**
 * Discrete Laplace with t steps per scale, q = e^(−1/t): E|X| = 2q/(1 − q²) and E X² = 2q/(1 − q)² steps. On a coarse grid
 * this is well below the continuous law's t and 2t².
 */
function laplaceLaw(t: number): NoiseLaw {
  const q = Math.exp(-1 / t);
  const meanSize = (2 * q) / (1 - q * q) / t;
  const variance = (2 * q) / (1 - q) ** 2 / t ** 2;
  return { size: 'absolute', meanSize, variance, varianceOfSize: variance - meanSize ** 2, fine: t >= 1024 };
}

/** The grid that was really used: a mechanism may halve the statistic's step until its noise is fine enough. */
function finestStep(released: Float64Array, gridStep: number): number {
  let step = gridStep;
  for (const value of released) {
    while (!Number.isInteger(value / step) && step > gridStep * 2 ** -40) step /= 2;
  }
  return step;
}

/** (released − exact)/scale of every part that got additive noise, coordinate by coordinate. */
export function residualsOf(plan: CalibratedPlan, transcript: Transcript, exact: Transcript): Residuals[] {
  const all: Residuals[] = [];
  for (const [key, { release, value }] of transcript) {
    const truth = exact.get(key)?.value;
    if (value.kind !== 'numbers' || truth?.kind !== 'numbers') continue;
    const { mechanism } = plan.releases.find((each) => each.name === release)!;
    // K-norm noise has no law per coordinate; a sampled statistic varies by its sample besides the noise.
    if (mechanism.kind === 'k-norm' || mechanism.kind === 'poisson-sampled-gaussian') continue;
    const { layout, scale, gridStep } = value;
    let row = 0;
    let column = 0;
    const values = value.values.map((released, at) => {
      let own = scale;
      if (layout.kind === 'symmetric') {
        if (row !== column) own /= Math.SQRT2;
        if (++column === layout.width) {
          row = (row + 1) % layout.width;
          column = row;
        }
      }
      return (released - truth.values[at]!) / own;
    });
    all.push({
      key,
      values,
      law:
        mechanism.kind === 'laplace' ? laplaceLaw(scale / finestStep(value.values, gridStep)) : gaussianLaw,
    });
  }
  return all;
}

/**
 * Whether two different parts got the same noise, up to sign. Independent noise on a grid of more than 2^10 steps a
 * standard deviation agrees to 1e-6 in three or more coordinates with probability below 1e-9.
 */
export function sharesNoise(residuals: readonly Residuals[]): boolean {
  const comparable = residuals.filter(({ law, values }) => law.fine && values.length >= 3);
  for (let first = 0; first < comparable.length; first++) {
    const a = comparable[first]!.values;
    for (let second = first + 1; second < comparable.length; second++) {
      const b = comparable[second]!.values;
      if (b.length === a.length && (agree(a, b, 1) || agree(a, b, -1))) return true;
    }
  }
  return false;
}

function agree(a: Float64Array, b: Float64Array, sign: 1 | -1): boolean {
  for (let at = 0; at < a.length; at++) if (!(Math.abs(a[at]! - sign * b[at]!) < 1e-6)) return false;
  return true;
}

/**
 * Running test that noise has the planned scale: sizes minus their mean, summed over coordinates and runs, over the
 * standard deviation of that sum. Close to standard normal once thousands of draws went in.
 */
export class NoiseScaleTest {
  #sum = 0;
  #variance = 0;
  #expected = 0;
  #draws = 0;

  add(residuals: readonly Residuals[]): void {
    for (const { values, law } of residuals) {
      for (const z of values) this.#sum += (law.size === 'square' ? z * z : Math.abs(z)) - law.meanSize;
      this.#expected += values.length * law.meanSize;
      this.#variance += values.length * law.varianceOfSize;
      this.#draws += values.length;
    }
  }

  get draws(): number {
    return this.#draws;
  }

  /** Standard deviations between what was seen and what was planned. */
  get deviation(): number {
    return this.#variance === 0 ? 0 : this.#sum / Math.sqrt(this.#variance);
  }

  /** Mean size relative to plan: 1 is right; noise at half scale gives ¼ (Gaussian) or ½ (Laplace). */
  get ratio(): number {
    return this.#expected === 0 ? 1 : 1 + this.#sum / this.#expected;
  }
}

/**
 * Running test that noise of different parts is independent: Σ z_a·z_b over coordinates and runs, for every pair of parts
 * of one length, over its standard deviation. Close to standard normal under independence.
 */
export class NoiseIndependenceTest {
  readonly #pairs = new Map<string, { sum: number; variance: number }>();

  add(residuals: readonly Residuals[]): void {
    for (let first = 0; first < residuals.length; first++) {
      for (let second = first + 1; second < residuals.length; second++) {
        const a = residuals[first]!;
        const b = residuals[second]!;
        if (a.values.length !== b.values.length) continue;
        const key = `${a.key} and ${b.key}`;
        const pair = this.#pairs.get(key) ?? { sum: 0, variance: 0 };
        for (let at = 0; at < a.values.length; at++) pair.sum += a.values[at]! * b.values[at]!;
        pair.variance += a.values.length * a.law.variance * b.law.variance;
        this.#pairs.set(key, pair);
      }
    }
  }

  get pairs(): number {
    return this.#pairs.size;
  }

  /** The pair that looks least independent. */
  worst(): { readonly key: string; readonly deviation: number } {
    let key = '';
    let deviation = 0;
    for (const [name, { sum, variance }] of this.#pairs) {
      const own = Math.abs(sum) / Math.sqrt(variance);
      if (own > deviation) [key, deviation] = [name, own];
    }
    return { key, deviation };
  }
}
