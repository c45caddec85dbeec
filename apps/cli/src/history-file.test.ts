import { describe, expect, it } from 'vitest';
import { parseHistory } from './history-file.js';

const known = new Set(['10', '20', 'a, b', 'x:y', 'item']);
const parse = (text: string) =>
  parseHistory(text, 'mine.csv', known).map(({ id, rating }) => [id, rating] as const);

describe('a history file', () => {
  it.each([
    ['commas', '10,4\n20,3.5\n'],
    ['a header', 'item,rating\n10,4\n20,3.5\n'],
    ['tabs, Windows line ends and a byte-order mark', '\uFEFF10\t4\r\n20\t3.5\r\n'],
    ['semicolons and blank lines', '\n10;4\n\n20;3.5'],
    ['double colons', '10::4\n20::3.5\n'],
    ['quotes', '"10",4\n"20",3.5\n'],
    ['JSON', '[{"id": "10", "rating": 4}, {"id": 20, "rating": 3.5}]'],
    [
      'JSON with a person',
      '[{"user": 1, "item": "10", "rating": 4}, {"user": 1, "item": 20, "rating": 3.5}]',
    ],
    ['JSON Lines', '{"item": "10", "rating": 4}\n{"item": 20, "rating": 3.5}\n'],
    ['ratings by item', '{"10": 4, "20": 3.5}'],
  ])('may use %s', (_, text) => {
    expect(parse(text)).toEqual([
      ['10', 4],
      ['20', 3.5],
    ]);
  });

  it('may list likes without ratings', () => {
    expect(parse('10\n20\n')).toEqual([
      ['10', undefined],
      ['20', undefined],
    ]);
  });

  it('keeps separators that belong to an id', () => {
    expect(parse('"a, b",4\na, b\nx:y,2\n')).toEqual([
      ['a, b', 4],
      ['a, b', undefined],
      ['x:y', 2],
    ]);
  });

  it.each([
    ['item, rating and time', '10,4,1600000000\n20,3.5,1600000001\n'],
    ['a person, item and rating', 'ann,10,4\nann,20,3.5\n'],
    ['a person, item, rating and time', '7::10::4::978300760\n7::20::3.5::978300761\n'],
    ['names in any order', 'timestamp,rating,movieId,userId\n1,4,10,7\n2,3.5,20,7\n'],
    ['titles with separators', 'title,item,rating\n"Dune, part one",10,4\n"Mirror, The",20,3.5\n'],
  ])('may have %s', (_, text) => {
    expect(parse(text)).toEqual([
      ['10', 4],
      ['20', 3.5],
    ]);
  });

  it('with rows of several people is refused', () => {
    for (const text of [
      'ann,10,4\nbob,20,3\n',
      'user,item,rating\nann,10,4\nbob,20,3\n',
      'item,customer_id,rating,time\n10,1,4,1000\n20,2,3,1000\n',
      'user,item\nann,10\nbob,20\n',
      '[{"user": "ann", "id": "10"}, {"user": "bob", "id": "20"}]',
      '{"user": "ann", "item": "10"}\n{"user": "bob", "item": "20"}\n',
    ])
      expect(() => parse(text)).toThrow(/several people/);
    expect(parse('user,item\nann,10\nann,20\n')).toEqual([
      ['10', undefined],
      ['20', undefined],
    ]);
  });

  it('keeps braces that belong to an id', () => {
    expect(parseHistory('{a},4\n', 'f', new Set(['{a}']))).toEqual([{ id: '{a}', rating: 4, place: 1 }]);
  });

  it('remembers the line of every entry', () => {
    expect(parseHistory('item,rating\n\n10,4\n', 'f', known)).toEqual([{ id: '10', rating: 4, place: 3 }]);
  });

  it.each([
    ['10,4\n20,good\n', /mine\.csv, line 2: the rating is not a number/],
    ['[{"id": "10", "rating": "4"}]', /mine\.csv, entry 1/],
    ['[{"id": ', /not valid JSON/],
    ['{"id": "10", "rating": 4}\n{"id": \n', /mine\.csv, line 2: expected/],
    ['{"ratings": [1, 2]}', /mine\.csv, entry 1: expected/],
    ['["10", "20"]', /mine\.csv, entry 1: expected/],
    ['PAR1\0\0', /no text, or packed.*--histories/],
    ['\x1f\ufffd\b', /no text, or packed/],
  ])('says where %j is wrong', (text, message) => {
    expect(() => parse(text)).toThrow(message);
  });
});
