import type { CalibratedPlan } from '@hushrec/privacy';
import { binomialTail } from './binomial.js';
import { noiseInScales, stepsPerScale } from './noise-law.js';
import type { Transcript } from './transcript.js';

/** Noise of one released part in units of its planned scale, as it would be if `exact` were the truth. */
export interface Residuals {
  readonly key: string;
  readonly values: Float64Array;
  /** Two independent draws of a coarse law are often equal; of a fine one never. */
  readonly fine: boolean;
}

/** (released − exact)/scale of every part that got additive noise, coordinate by coordinate. */
export function residualsOf(plan: CalibratedPlan, transcript: Transcript, exact: Transcript): Residuals[] {
  const all: Residuals[] = [];
  for (const [key, { release, value }] of transcript) {
    const truth = exact.get(key)?.value;
    if (value.kind !== 'numbers' || truth?.kind !== 'numbers') continue;
    const line = plan.releases.find((each) => each.name === release)!;
    const values = noiseInScales(line, value, truth);
    if (values !== undefined) all.push({ key, values, fine: stepsPerScale(value) >= 1024 });
  }
  return all;
}

/**
 * Whether two different parts got the same noise, up to sign. Independent noise on a grid of more than 2^10
 * steps a standard deviation agrees to 1e-6 in three or more coordinates with probability below 1e-9.
 */
export function sharesNoise(residuals: readonly Residuals[]): boolean {
  const comparable = residuals.filter(({ fine, values }) => fine && values.length >= 3);
  for (let first = 0; first < comparable.length; first++) {
    const a = comparable[first].values;
    for (let second = first + 1; second < comparable.length; second++) {
      const b = comparable[second].values;
      if (b.length === a.length && (agree(a, b, 1) || agree(a, b, -1))) return true;
    }
  }
  return false;
}

/** Coordinates without noise in both (vectors that nobody can move) say nothing. */
function agree(a: Float64Array, b: Float64Array, sign: 1 | -1): boolean {
  let equal = 0;
  for (let at = 0; at < a.length; at++) {
    if (!(Math.abs(a[at] - sign * b[at]) < 1e-6)) return false;
    if (a[at] !== 0) equal++;
  }
  return equal >= 3;
}

/**
 * Running test that noise of different parts is independent: in how many coordinates, over all runs, two
 * parts of one length have noise of the same sign. Under independence each is a fair coin whatever the sizes,
 * for every symmetric law and for every coordinate of a K-norm vector, so the number is binomial exactly.
 * Coordinates without noise are left out.
 */
export class NoiseIndependenceTest {
  readonly #pairs = new Map<string, { agreeing: number; draws: number }>();

  add(residuals: readonly Residuals[]): void {
    for (let first = 0; first < residuals.length; first++) {
      for (let second = first + 1; second < residuals.length; second++) {
        const a = residuals[first];
        const b = residuals[second];
        if (a.values.length !== b.values.length) continue;
        const key = `${a.key} and ${b.key}`;
        const pair = this.#pairs.get(key) ?? { agreeing: 0, draws: 0 };
        for (let at = 0; at < a.values.length; at++) {
          const product = a.values[at] * b.values[at];
          if (product === 0) continue;
          pair.draws++;
          if (product > 0) pair.agreeing++;
        }
        this.#pairs.set(key, pair);
      }
    }
  }

  get pairs(): number {
    return this.#pairs.size;
  }

  /**
   * The pair that looks least independent, its probability taken for the best of so many pairs; absent where
   * there is none.
   */
  worst(): { readonly key: string; readonly probability: number } | undefined {
    let worst: { key: string; probability: number } | undefined;
    for (const [key, { agreeing, draws }] of this.#pairs) {
      const further = Math.max(agreeing, draws - agreeing);
      const probability = Math.min(1, 2 * binomialTail(draws, further, 0.5) * this.#pairs.size);
      if (worst === undefined || probability < worst.probability) worst = { key, probability };
    }
    return worst;
  }
}
