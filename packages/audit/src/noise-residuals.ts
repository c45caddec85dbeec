import type { CalibratedPlan } from '@hushrec/privacy';
import type { Transcript } from './transcript.js';

/** Noise of one released part in units of its planned scale, as it would be if `exact` were the truth. */
export interface Residuals {
  readonly key: string;
  readonly mechanism: string;
  readonly values: Float64Array;
}

/** (released − exact)/scale of every part that got additive noise, coordinate by coordinate. */
export function residualsOf(plan: CalibratedPlan, transcript: Transcript, exact: Transcript): Residuals[] {
  const all: Residuals[] = [];
  for (const [key, { release, value }] of transcript) {
    const truth = exact.get(key)?.value;
    if (value.kind !== 'numbers' || truth?.kind !== 'numbers') continue;
    const { mechanism } = plan.releases.find((each) => each.name === release)!;
    if (mechanism.kind === 'k-norm') continue;
    const { layout, scale } = value;
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
    all.push({ key, mechanism: mechanism.kind, values });
  }
  return all;
}

/**
 * Whether two different parts got the same noise, up to sign. Independent noise on a grid of more than 2^10 steps a
 * standard deviation agrees to 1e-6 in three or more coordinates with probability below 1e-9.
 */
export function sharesNoise(residuals: readonly Residuals[]): boolean {
  for (let first = 0; first < residuals.length; first++) {
    const a = residuals[first]!.values;
    if (a.length < 3) continue;
    for (let second = first + 1; second < residuals.length; second++) {
      const b = residuals[second]!.values;
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
 * Running test that noise has the planned scale. Gaussian z: z² − 1 has mean 0 and variance 2. Laplace: |z| − 1 has mean
 * 0 and variance 1. The standardised sum is close to normal once thousands of draws went in.
 */
export class NoiseScaleTest {
  #sum = 0;
  #variance = 0;
  #draws = 0;

  add(residuals: readonly Residuals[]): void {
    for (const { mechanism, values } of residuals) {
      const laplace = mechanism === 'laplace';
      for (const z of values) this.#sum += laplace ? Math.abs(z) - 1 : z * z - 1;
      this.#variance += values.length * (laplace ? 1 : 2);
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

  /** Mean square (Gaussian) relative to plan: 1 is right, ¼ is noise at half scale. */
  get ratio(): number {
    return this.#draws === 0 ? 1 : 1 + this.#sum / this.#draws;
  }
}

/**
 * Running test that noise of different parts is independent: r = Σ z_a·z_b over coordinates and runs, for every pair of
 * parts of one length. Under independence each r/√N is close to standard normal.
 */
export class NoiseIndependenceTest {
  readonly #pairs = new Map<string, { sum: number; draws: number }>();

  add(residuals: readonly Residuals[]): void {
    for (let first = 0; first < residuals.length; first++) {
      for (let second = first + 1; second < residuals.length; second++) {
        const a = residuals[first]!;
        const b = residuals[second]!;
        if (a.values.length !== b.values.length || a.mechanism !== b.mechanism) continue;
        const key = `${a.key} and ${b.key}`;
        const pair = this.#pairs.get(key) ?? { sum: 0, draws: 0 };
        for (let at = 0; at < a.values.length; at++) pair.sum += a.values[at]! * b.values[at]!;
        pair.draws += a.values.length;
        this.#pairs.set(key, pair);
      }
    }
  }

  get pairs(): number {
    return this.#pairs.size;
  }

  /** The pair that looks least independent. Laplace z has variance 2, so its products have 4. */
  worst(): { readonly key: string; readonly deviation: number } {
    let key = '';
    let deviation = 0;
    for (const [name, { sum, draws }] of this.#pairs) {
      const own = Math.abs(sum) / Math.sqrt(draws);
      if (own > deviation) [key, deviation] = [name, own];
    }
    return { key, deviation };
  }
}
