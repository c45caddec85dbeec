import { describe, expect, it } from 'vitest';
import { searchItems } from './item-search.js';

const items = [
  { id: '1', title: 'The Garden Wall' },
  { id: '2', title: 'Garden of Élodie' },
  { id: '3', title: '' },
];
const found = (query: string, limit = 10) => searchItems(items, query, limit).map(({ id }) => id);

describe('searchItems', () => {
  it('puts titles that begin with the words first', () => expect(found('garden')).toEqual(['2', '1']));
  it('wants all words, in any order, without regard to accents and case', () =>
    expect(found('ELODIE garden')).toEqual(['2']));
  it('finds an id', () => expect(found('3')).toEqual(['3']));
  it('lists everything for an empty query, up to the limit', () => expect(found('', 2)).toEqual(['1', '2']));
});
