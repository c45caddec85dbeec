import { describe, expect, it } from 'vitest';
import { changesOf, changeWords } from './list-changes.js';

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
