import { describe, expect, it } from 'vitest';
import { titleSearch } from './search-titles.js';

const search = titleSearch(
  new Map([
    ['1', 'The Garden Wall'],
    ['2', 'Garden of Élodie'],
    ['3', 'A Quiet Street'],
  ]),
);

describe('titleSearch', () => {
  it('puts titles that begin with the words first', () => expect(search('garden', 5)).toEqual(['2', '1']));
  it('wants every word, without regard to accents and case', () =>
    expect(search('elodie GARDEN', 5)).toEqual(['2']));
  it('stops at the limit and finds nothing where there is nothing', () => {
    expect(search('', 2)).toEqual(['1', '2']);
    expect(search('nowhere', 5)).toEqual([]);
  });
});
