import { expect, it } from 'vitest';
import {
  byHand,
  cyclesIn,
  functionLengths,
  line,
  loadedBy,
  mostWords,
  numberLiterals,
  wordsIn,
} from './house.mjs';

it('functions are counted by their lines, numbers without 0, 1 and 2', () => {
  expect(functionLengths('function a() {\n  return () => 1;\n}\n')).toEqual([3, 1]);
  expect(numberLiterals('const a = 0.5 + 1 * 2 - 30; const b = "7";')).toEqual([0.5, 30]);
});

it('cycles are groups of files that load each other, and types load nothing', () => {
  expect(
    loadedBy(
      "import type { A } from './a.js';\nimport { type B } from './b.js';\nexport { c } from './c.js';\nimport './d.js';",
    ),
  ).toEqual(['./c.js', './d.js']);
  const loads = new Map([
    ['a', ['b']],
    ['b', ['c', 'd']],
    ['c', ['a']],
    ['d', []],
  ]);
  expect(cyclesIn(loads).map((group: string[]) => group.sort())).toEqual([['a', 'b', 'c']]);
});

it('a row says whether its bar is met, and why where it is not', () => {
  expect(line(['options', 300, 300])).toMatch(/ 300 +300 {2}met$/);
  expect(line(['options', 1301, 300, 'there are many'])).toMatch(/ 1,301 +300 {2}not met\n +there are many$/);
  expect(line(['options', 1301, 300])).toMatch(/ 1,301 +300 {2}not met\n +no reason is stated/);
  expect(wordsIn('| two | words |\n| --- | --- |\n')).toBe(2);
  expect(wordsIn(byHand('two words\n\n<!-- results: drawn by `npm run papers` -->\n\nand more'))).toBe(2);
  expect(mostWords('docs/guides/any.md')).toBe(1500);
});
