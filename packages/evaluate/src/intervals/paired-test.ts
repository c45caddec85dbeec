import { SeededRandom } from '@hushrec/ratings';
import { metricValue, type PerUserMetric } from '../metrics/per-user.js';
import { countedPeople, type Estimate, quantile } from './bootstrap.js';

export interface PairedTest {
  /** metric(a) − metric(b) with its 95 % interval (paired bootstrap over people). */
  readonly difference: Estimate;
  /** Two-sided p-value of the hypothesis that the two models are exchangeable person by person. */
  readonly pValue: number;
}

/**
 * Compares two models on the same split by the same metric, person by person.
 *
 * p-value: randomisation test (Fisher; Smucker et al. 2007). Under the hypothesis each person's pair of results may
 * be swapped; p = (1 + #{|D*| ≥ |D|}) / (1 + rounds) over random swaps, which is valid (never too small) for any
 * number of rounds. O(rounds · users).
 */
export function pairedTest(
  a: PerUserMetric,
  b: PerUserMetric,
  { rounds = 2000, seed = 1 }: { readonly rounds?: number; readonly seed?: number } = {},
): PairedTest {
  if (a.name !== b.name || a.numerator.length !== b.numerator.length) {
    throw new RangeError(
      `Cannot pair ${a.name} of ${a.numerator.length} people with ${b.name} of ${b.numerator.length}; evaluate both models on the same split.`,
    );
  }
  const people = countedPeople([a, b]);
  const random = new SeededRandom(seed);
  const observed = metricValue(a) - metricValue(b);
  const threshold = Math.abs(observed) * (1 - 1e-12); // a swap of everybody gives −D up to rounding: count it
  let asExtreme = 0;
  const differences = new Float64Array(rounds);
  for (let round = 0; round < rounds; round++) {
    const swapped = new Sums();
    const resampled = new Sums();
    let bits = 0;
    for (let at = 0; at < people.length; at++) {
      if (at % 32 === 0) bits = random.uint32();
      const person = people[at]!;
      if ((bits >>> (at % 32)) & 1) swapped.add(a, b, person);
      else swapped.add(b, a, person);
      resampled.add(a, b, people[random.below(people.length)]!);
    }
    if (Math.abs(swapped.difference(a.finish)) >= threshold) asExtreme++;
    differences[round] = resampled.difference(a.finish);
  }
  const sorted = differences.sort();
  return {
    difference: { value: observed, low: quantile(sorted, 0.025), high: quantile(sorted, 0.975) },
    pValue: (1 + asExtreme) / (1 + rounds),
  };
}

class Sums {
  #firstAbove = 0;
  #firstBelow = 0;
  #secondAbove = 0;
  #secondBelow = 0;
  add(first: PerUserMetric, second: PerUserMetric, person: number): void {
    this.#firstAbove += first.numerator[person]!;
    this.#firstBelow += first.denominator[person]!;
    this.#secondAbove += second.numerator[person]!;
    this.#secondBelow += second.denominator[person]!;
  }
  difference(finish: (mean: number) => number): number {
    return finish(this.#firstAbove / this.#firstBelow) - finish(this.#secondAbove / this.#secondBelow);
  }
}
