import { describe, expect, it } from 'vitest';
import { changesOf, changeWords } from './list-changes.js';
import { reasonGroups } from './reason-groups.js';
import { titleParts } from './title-parts.js';

describe('what a rating did to a list', () => {
  it('tells new rows and rows that moved up', () => {
    const changes = changesOf(['a', 'b', 'c', 'd'], ['d', 'a', 'x', 'c'], new Set());
    expect([...changes.fresh]).toEqual(['x']);
    expect([...changes.up]).toEqual([['d', 3]]);
    expect(changeWords(changes)).toBe('1 new, 1 moved up');
  });

  it('does not count the gap that a rated row leaves as moving up', () => {
    const changes = changesOf(['a', 'b', 'c'], ['b', 'c', 'd'], new Set(['a']));
    expect([...changes.fresh]).toEqual(['d']);
    expect(changes.up.size).toBe(0);
    expect(changeWords(changesOf(['a'], ['a'], new Set()))).toBe('the same titles');
  });
});

describe('rows grouped by reason', () => {
  const item = (id: string, ...because: string[]) => ({
    id,
    score: 1,
    because: because.map((each) => ({ id: each, contribution: 1 })),
  });
  const group = (items: ReturnType<typeof item>[], ratings: Record<string, number> = {}) =>
    reasonGroups(
      { items, basis: 'history', tooNoisy: false, sameForAll: false, unknown: [] },
      (id) => id.toUpperCase(),
      (id) => ratings[id],
      { min: 1, max: 5, step: 1 },
    );

  it('says a shared reason once and keeps the order', () => {
    const groups = group([item('1', 's'), item('2', 't', 's'), item('3', 't'), item('4')], { s: 5, t: 5 });
    expect(groups.map(({ heading, start, items }) => [heading, start, items.map(({ id }) => id)])).toEqual([
      ['Because of S', 1, ['1', '2']],
      ['Because of T', 3, ['3']],
      ['Liked by most', 4, ['4']],
    ]);
  });

  it('says when a dislike is the reason', () => {
    expect(group([item('1', 's')], { s: 1 })[0].heading).toBe('Unlike S');
  });

  it('gives no reasons where there are none to give', () => {
    const noisy = reasonGroups(
      { items: [item('1', 's')], basis: 'popularity', tooNoisy: true, sameForAll: false, unknown: [] },
      String,
      () => 5,
      undefined,
    );
    expect(noisy.map(({ heading }) => heading)).toEqual(['Liked by most, the same for everyone']);
  });
});

it('titles give their year', () => {
  expect(titleParts('Starfall (1998)')).toEqual({ name: 'Starfall', year: '1998' });
  expect(titleParts('Starfall')).toEqual({ name: 'Starfall' });
});
