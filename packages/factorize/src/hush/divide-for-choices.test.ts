import { describe, expect, it } from 'vitest';
import { divideForChoices } from './divide-for-choices.js';
import { hushRules } from './hush-rules.js';

/** `people` who choose `each` of `itemCount` items, all of which are chosen alike. */
const divide = (people: number, each: number, mu: number, itemCount = 1000, noise = 0.01) =>
  divideForChoices({
    people,
    itemCount,
    mu,
    counts: { value: new Float64Array(itemCount).fill((people * Math.sqrt(each)) / itemCount), noise },
    rules: hushRules,
  });

describe('how hush divides its budget on choices', () => {
  it('spends all on counts where people are few for the budget, and a tenth where they are many', () => {
    expect(divide(300, 60, 0.2)).toMatchObject({ rank: 0, countShare: 0.9 });
    // (500/245)²/10 = 0.42 of the budget, and (500/255)²/10 = 0.38 of it.
    expect(divide(2450, 60, 0.1).rank).toBe(0);
    expect(divide(2550, 60, 0.1).rank).toBe(4);
    expect(divide(5000, 60, 1)).toMatchObject({ rank: 16, countShare: 0.1 });
  });

  it('spends all on counts sooner where the head is not plain', () => {
    const among = (people: number) => divide(people, 60, 0.1, 1000, people / 800); // x = 2.2 in place of 2.5
    expect(among(3100)).toMatchObject({ rank: 0 }); // 0.26 of the budget
    expect(among(3250)).toMatchObject({ rank: 4 }); // 0.24 of it
  });

  it('has the more directions the more people there are and the more each of them chooses', () => {
    const byPeople = [1000, 2500, 20_000, 60_000, 250_000].map((people) => divide(people, 50, 0.5).rank);
    expect(byPeople).toEqual([4, 8, 24, 56, 64]);
    const byChoices = [10, 20, 50].map((each) => divide(2500, each, 0.65).rank);
    expect(byChoices).toEqual([8, 8, 12]);
    expect(divide(2500, 10, 0.5).rank).toBe(4); // S′ = 1,250, of which ten choices each tell 625
    expect(divide(2500, 36, 0.5).rank).toBe(8);
  });

  it('gives counts more where the most chosen items do not stand out from the noise of the first look', () => {
    const among = (head: number, itemCount = 40_000, noise = 10) => {
      const value = new Float64Array(itemCount).fill(0.9);
      value.fill(head * noise, 0, 20);
      return divideForChoices({ people: 8000, itemCount, mu: 5, counts: { value, noise }, rules: hushRules });
    };
    // 2.5 times √(2 ln 2,000) = 3.9 standard deviations are plain; with half of that four times the budget
    // is.
    expect(among(9.75).countShare).toBeCloseTo(0.1, 4);
    expect(among(9.75 / 2).countShare).toBeCloseTo(0.4, 2);
    expect(among(4).countShare).toBeCloseTo(0.594, 3);
    expect(among(4).rank).toBeGreaterThan(0);
    // Noise alone reaches 3.9: nothing is known yet, and there are no vectors.
    expect(among(3.8)).toMatchObject({ rank: 0, countShare: 0.9 });
    // Among a hundred items noise alone reaches less, and less is asked for.
    expect(among(5, 100).countShare).toBeCloseTo(0.1, 4);
    // Without noise there is nothing to stand out from, with twenty items nothing to be told from.
    expect(among(1, 40_000, 0).countShare).toBe(0.1);
    expect(among(0, 20).countShare).toBe(0.1);
  });

  it('has as many directions as the budget can carry, among many items fewer, and among few no more', () => {
    const among = (people: number, itemCount: number) => divide(people, 50, 1, itemCount).rank;
    const people = [5_000, 10_000, 20_000, 40_000];
    expect(people.map((many) => among(many, 4_000))).toEqual([16, 24, 40, 64]); // (N̂μ/100)^0.7
    expect(people.map((many) => among(many, 40_000))).toEqual([12, 12, 20, 36]); // times 10^−0.28
    expect(people.map((many) => among(many, 240))).toEqual([16, 20, 20, 20]); // a twelfth of the items
    expect(people.map((many) => among(many, 100))).toEqual([12, 12, 12, 12]);
  });

  it('has no more directions than choices can tell apart', () => {
    expect(divide(1000, 10, 50).rank).toBe(6); // 10,000 choices
  });

  it('leaves echoes out where people choose very little, and nowhere else', () => {
    expect(divide(5000, 9, 1).leftOut).toBe(true);
    expect(divide(5000, 11, 1).leftOut).toBe(false);
  });
});
