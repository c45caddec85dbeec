import { forecastRange, referenceRuns } from '@hushrec/planner';
import { describe, expect, it } from 'vitest';
import { enoughOf, planAddress, planOf } from './plan-address.js';

describe('a plan in the address', () => {
  it('is read as it was written', () => {
    const plan = { people: 12_400, items: 3000, each: 70, goal: 'ratings', epsilon: 0.5 } as const;
    expect(planOf(planAddress(plan))).toEqual(plan);
  });
  it('is the usual one where nothing was asked, or what cannot be', () => {
    expect(planOf(undefined).people).toBe(6000);
    expect(planOf('people=-3&epsilon=x&items=1e99')).toEqual(planOf(undefined));
  });
});

describe('whether people are enough', () => {
  it('never says more than the range', () => {
    for (const people of [200, 1500, 3000, 6000, 20_000, 500_000])
      for (const epsilon of [0.1, 1, 8]) {
        const data = { people, items: 3000, ratingsPerPerson: 100, feedback: 'likes' } as const;
        const range = forecastRange(data, epsilon, 1e-6, referenceRuns);
        const { tone } = enoughOf(people, range);
        if (tone === 'good') expect(range.verdicts).toEqual(['worth-it', 'worth-it']);
        if (tone === 'bad') expect(people).toBeLessThan(range.peopleNeeded.low);
        expect(tone === 'good').toBe(range.verdicts[0] === 'worth-it');
      }
  });
});
