import { SeededRandom } from '@hushrec/ratings';
import { describe, expect, it } from 'vitest';
import { CountsFromRounds } from './counts-from-rounds.js';

const [items, width, noise, roundNoise] = [3000, 4, 5, 0.5];
const counts = Float64Array.from({ length: items }, (_, item) => 20_000 / (item + 100));
const total = counts.reduce((sum, count) => sum + count, 0);
const shares = counts.map((count) => count / 4000);
/** Half of the items are asked for half as much. */
const itemWeights = counts.map((_, item) => (item % 2 ? 0.5 : 1));

/**
 * Three rounds in which a mean taste of this length is said of every item as often as it was chosen, besides
 * what is particular about those who chose it, of standard deviation `particular`·√count.
 */
function afterRounds(seed: number, { length = 0.1, particular = 0, claimed = roundNoise }) {
  const random = new SeededRandom(seed);
  const first = { value: counts.map((count) => count + noise * random.normal()), noise };
  const heard = new CountsFromRounds(first, shares);
  const own = counts.map((count) => particular * Math.sqrt(count) * random.normal());
  for (let round = 0; round < 3; round++) {
    const mean = Float64Array.from({ length: width }, () => random.normal());
    const scale = length / Math.hypot(...mean);
    const value = new Float64Array(items * width);
    for (let at = 0; at < value.length; at++) {
      const item = Math.floor(at / width);
      value[at] =
        itemWeights[item] * scale * mean[at % width] * (counts[item] + own[item]) +
        roundNoise * random.normal();
    }
    heard.add({ value, noise: claimed }, itemWeights);
  }
  return { first, after: heard.withCounts() };
}

const errorOf = ({ value }: { readonly value: Float64Array }, weight = 1) => {
  let [squares, of] = [0, 0];
  value.forEach((count, item) => {
    if (itemWeights[item] !== weight) return;
    squares += (count - counts[item]) ** 2;
    of++;
  });
  return squares / of;
};

describe('counts from rounds', () => {
  // Three rounds have the variance (0.5/0.1)²/3 = 25/3 where the weight is 1 and four times that where it is
  // ½, the counts 25: together 25/4 and 25·4/7. The mean of 1,500 squared errors has a standard deviation of
  // √(2/1500) = 3.7 % of it, so that 20 % is 5.4 of them: a false alarm below 10⁻⁷, seeds being fixed
  // besides.
  it('halve the error of counts where rounds say twice as much, and know it', () => {
    const { first, after } = afterRounds(1, {});
    expect(Math.abs(errorOf(first) / 25 - 1)).toBeLessThan(0.2);
    expect(Math.abs(errorOf(after) / (25 / 4) - 1)).toBeLessThan(0.2);
    expect(Math.abs(errorOf(after, 0.5) / (100 / 7) - 1)).toBeLessThan(0.2);
    expect(after.noise).toBeGreaterThan(Math.sqrt(25 / 4));
    expect(after.noise).toBeLessThan(Math.sqrt(100 / 7));
  });

  it('would be noticed if they took the noise of a round for another one', () => {
    const { after } = afterRounds(1, { claimed: 3 * roundNoise });
    expect(errorOf(after) / (25 / 4)).toBeGreaterThan(1.2);
  });

  it('keep the total', () => {
    const { first, after } = afterRounds(2, {});
    const sum = (values: Float64Array) => values.reduce((a, b) => a + b, 0);
    expect(Math.abs(sum(after.value) - sum(first.value))).toBeLessThan(0.02 * total);
  });

  // r_j deviates by 4√count, for the most chosen item by 57: what is left of it after the counts is 5.
  it('believe rounds little where those who chose an item are particular', () => {
    const { first, after } = afterRounds(3, { particular: 4 });
    expect(errorOf(after)).toBeLessThan(1.05 * errorOf(first));
    expect(Math.abs(after.value[0] - first.value[0])).toBeLessThan(noise / 2);
  });

  it('are the counts where tastes have no mean', () => {
    const { first, after } = afterRounds(4, { length: 0 });
    expect(errorOf(after)).toBeLessThan(1.1 * errorOf(first));
  });

  it('are the counts before any round', () => {
    const first = { value: counts, noise };
    expect(new CountsFromRounds(first, shares).withCounts()).toBe(first);
  });
});
