import { describe, expect, it } from 'vitest';
import { divideForChoices } from './divide-for-choices.js';
import { hushRules } from './hush-rules.js';

/** `people` who choose `each` of `itemCount` items, all of which are chosen alike. */
const divide = (people: number, each: number, mu: number, itemCount = 1000) =>
  divideForChoices({
    people,
    itemCount,
    mu,
    counts: { value: new Float64Array(itemCount).fill((people * Math.sqrt(each)) / itemCount), noise: 0.01 },
    rules: hushRules,
  });

describe('how hush divides its budget on choices', () => {
  it('spends all on counts where people are few for the budget, and a tenth where they are many', () => {
    expect(divide(300, 60, 0.2)).toMatchObject({ rank: 0, countShare: 0.9 });
    expect(divide(5000, 60, 1)).toMatchObject({ rank: 16, countShare: 0.1 });
  });

  it('has the more directions the more people there are and the more each of them chooses', () => {
    const byPeople = [1000, 2500, 20_000, 60_000, 250_000].map((people) => divide(people, 50, 0.5).rank);
    expect(byPeople).toEqual([4, 8, 16, 24, 40]);
    const byChoices = [10, 20, 50].map((each) => divide(2500, each, 0.65).rank);
    expect(byChoices).toEqual([8, 8, 16]);
    expect(divide(2500, 9, 0.5).rank).toBe(4); // S′ = 1,250, of which nine choices each tell 593
    expect(divide(2500, 36, 0.5).rank).toBe(8);
  });

  it('has no more directions than choices can tell apart', () => {
    expect(divide(1000, 10, 50).rank).toBe(6); // 10,000 choices
  });

  it('leaves echoes out where people choose little', () => {
    expect(divide(5000, 39, 1).leftOut).toBe(true);
    expect(divide(5000, 41, 1).leftOut).toBe(false);
  });
});
