import type { Charter } from './charter.js';
import type { ExchangePlan } from './exchange-plan.js';
import { fineGrid, lineOf, squaredNorm } from './sharing/sharing-line.js';

// Reports that no person can have are found before they are added up, by looks at sums with much noise.
//
// A charter with `screening` = f lets an aggregator show, besides its words of a line (noise of variance T on
// the sum), at most LOOKS sums that a report is in, each with noise of variance K²σ². With T = σ²/(1 − f) and
// K² = LOOKS/f all of it together costs a person (1 − f)/σ² + LOOKS/(K²σ²) = 1/σ² times Δ²: exactly what the
// plan says of one release with noise σ. Gaussian releases compose in this way also where each is chosen by
// what the others gave, so that whoever asks may choose which reports to look at. Price: noise on sums grows
// by 1/√(1 − f).

/** How often a report may be looked at in an exchange: in a group, and alone where the group cannot be. */
export const LOOKS = 2;

/** Reports that are looked at together. */
export const MOST_IN_LOOK = 32;

/** Noise is beyond this many standard deviations with probability 2.6·10⁻¹². */
const BEYOND = 7;

/**
 * Standard deviation of the noise on a sum and on a look, over the planned one. 1 and 0 without screening.
 */
export function screeningScales(fraction: number | undefined): {
  readonly sum: number;
  readonly look: number;
} {
  if (fraction === undefined) return { sum: 1, look: 0 };
  return { sum: 1 / Math.sqrt(1 - fraction), look: Math.sqrt(LOOKS / fraction) };
}

/**
 * Whether so many people can have these sums, under the noise of a look: no number is beyond what they have
 * together, and no line is longer than that, as far as noise lets it be told. Honest people fail with
 * probability 2.6·10⁻¹² a number and e^(−24.5) a line (tail of χ², Laurent and Massart 2000).
 *
 * @param onLook noise on a look over the planned noise, all noise makers together
 */
export function isPossible(
  { lines, plan }: ExchangePlan,
  values: Float64Array,
  people: number,
  onLook: number,
): boolean {
  let at = 0;
  for (const shape of lines) {
    const line = lineOf(plan, shape);
    const { step, effective } = fineGrid(line, shape.gridStep);
    const own = values.subarray(at, at + shape.length);
    at += shape.length;
    // Both in fine steps; 2 for rounding.
    const most = (people * line.sensitivity) / step + 2;
    const noise = onLook * effective;
    if (own.some((value) => Math.abs(value) > most + BEYOND * noise)) return false;
    // |x + z|² with |x| ≤ m and z of n numbers: at most m² + 2·7·m·s + s²·(n + 7·√(2n) + 7²).
    const { length } = shape;
    const spread = noise * noise * (length + BEYOND * Math.sqrt(2 * length) + BEYOND * BEYOND);
    if (squaredNorm(own, shape.width) > most * most + 2 * BEYOND * most * noise + spread) return false;
  }
  return true;
}

/**
 * How far one liar can move one published number, in people: the most that a report can hold and not be left
 * out. Where 31 honest people hold the least they can at one place, and the noise of the look is 7 standard
 * deviations below zero, the sum of 32 looks possible up to 63 people's worth and 14 standard deviations. A
 * report that is looked at alone can hold less. Of a plan in stages this is about the first one, whose noise
 * is known. Without screening as far as all people together; with norm proofs as far as one.
 */
export function reachOfLiar({ plan, screening, normProofs, mostPeople }: Charter, onLook: number): number {
  if (normProofs) return 1;
  if (screening === undefined) return mostPeople;
  const worst = Math.max(...plan.releases.map(({ noise, sensitivity }) => noise / sensitivity));
  return Math.min(mostPeople, 2 * MOST_IN_LOOK - 1 + 2 * BEYOND * onLook * worst);
}
