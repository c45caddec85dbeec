import '@hushrec/papers/register';
import { readFileSync } from 'node:fs';
import { hushRules, methodById } from '@hushrec/factorize';
import { describe, expect, it } from 'vitest';
import { numbersOfChoices, numbersOfFacts, numbersOfRatings } from './varied-numbers.js';

const all = [...numbersOfRatings, ...numbersOfChoices, ...numbersOfFacts];
const names = new Set(all.map(({ name }) => name));

/** Settings that fix what a rule decides, or that are no more than a limit. */
const notFound = ['rank', 'rounds', 'numbers', 'effectShare'];

describe('the numbers that hush/numbers varies', () => {
  it('are all that hush has: every rule, and every setting whose default was found on data', () => {
    const settings = Object.entries(methodById('hush').settings)
      .filter(([name, { type }]) => (type === 'number' || type === 'integer') && !notFound.includes(name))
      .map(([name]) => name);
    expect([...names].sort()).toEqual([...new Set([...Object.keys(hushRules), ...settings])].sort());
  });

  it('are tried below and above what is in use, or only on the side where there is room', () => {
    for (const { name, inUse, others } of all) {
      expect(others.length, name).toBeGreaterThanOrEqual(2);
      expect(others, name).not.toContain(inUse);
      expect(Math.min(...others) < inUse && inUse < Math.max(...others), name).toBe(true);
    }
  });

  it('reach the method', () => {
    const [first] = numbersOfRatings;
    expect(first.variant(0.5)).toEqual({ rules: { peopleShare: 0.5 } });
    expect(numbersOfFacts[0].variant(3)).toEqual({ rules: { leastItems: 3 }, features: true });
    const bound = numbersOfRatings.find(({ name }) => name === 'effectBound');
    expect(bound?.variant(1)).toEqual({ settings: { effectBound: 1 } });
    expect(bound?.inUse).toBe(0.4);
  });
});

describe('the documents state the numbers in use', () => {
  const read = (page: string) => readFileSync(new URL(`../../../docs/${page}.md`, import.meta.url), 'utf8');
  const shown = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 6 });

  it('hush-numbers.md has all of them', () => {
    const [, ratings, choices] = read('hush-numbers').split(/^\*\*(?:Ratings, and facts|Choices)\*\*/m);
    const stated = (text: string) =>
      new Map(
        [...text.matchAll(/`(\w+)`(?: \*)? (?:\| |\()([\d.,]+\d|\d)(?: \||\))/g)].map(([, name, value]) => [
          name,
          value,
        ]),
      );
    const inUse = (numbers: readonly (typeof all)[number][]) =>
      new Map(numbers.map((each) => [each.name, shown(each.inUse)]));
    expect(stated(ratings)).toEqual(inUse([...numbersOfRatings, ...numbersOfFacts]));
    expect(stated(choices.split('\nNot varied')[0])).toEqual(inUse(numbersOfChoices));
  });

  it('hush.md has those of its algorithm', () => {
    const value = (name: string) => shown(all.find((each) => each.name === name)!.inUse);
    const percent = (name: string) => `(${shown(100 * all.find((each) => each.name === name)!.inUse)}%)`;
    const page = read('hush');
    for (const text of [
      ...['peopleShare', 'meanShare', 'firstCounts', 'varianceShare', 'levelShare', 'countsAtLeast'].map(
        percent,
      ),
      `${value('lengthSpread')}(Σĉ/N̂)²`,
      `S·n̄·${value('usualVariance')}/r < ${value('leastTold')}`,
      `√(S/${value('strengthPerTaste')}) between ${value('fewestTastes')} and ${value('mostTastes')}`,
      `${value('countsAtLeast')}·(${value('plentyForCounts')}·max(1, ${value('enoughChoices')}/n̄)/(N̂μ))²`,
      `${value('plainHead')} times`,
      `(${value('countsAlonePlain')} if`,
      `S″ < ${value('fourBelow')}`,
      `S″ < ${value('eightBelow')}`,
      `(N̂μ·f/${value('strengthPerDirection')})^${value('directionExponent')}`,
      `between ${value('fewDirections')} and ${value('mostDirections')}`,
      `(${value('manyItems')}/m)`,
      `^${value('manyItemsExponent')}`,
      `one for ${value('choicesPerDirection')} choices`,
      `${value('unobservedRatio')}·ρ`,
      `${value('ridgeInUse')}·√n`,
    ])
      expect(page, text).toContain(text);
  });
});
