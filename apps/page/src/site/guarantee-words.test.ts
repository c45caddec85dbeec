import { expect, it } from 'vitest';
import { guaranteeWords } from './guarantee-words.js';

it.each([
  [1.00004, 'ε = 1.0001'],
  [0.96, 'ε = 0.96'],
  [2.345678, 'ε = 2.3457'],
  [3.24159, 'ε = 3.2416, weak'],
])('never shows a smaller ε than %f', (epsilon, words) => {
  expect(guaranteeWords({ unit: 'user', epsilon, simulation: false })).toBe(words);
});
