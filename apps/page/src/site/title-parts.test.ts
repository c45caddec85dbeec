import { expect, it } from 'vitest';
import { titleParts } from './title-parts.js';

it.each([
  ['Starfall (1998)', { name: 'Starfall', year: '1998' }],
  ['Starfall', { name: 'Starfall' }],
  ['Matrix, The (1999)', { name: 'The Matrix', year: '1999' }],
  ['Misérables, Les', { name: 'Les Misérables' }],
  ['Avventura, L’ (1960)', { name: 'L’Avventura', year: '1960' }],
  ['Crouching Tiger, Hidden Dragon', { name: 'Crouching Tiger, Hidden Dragon' }],
  ['2001 (1968)', { name: '2001', year: '1968' }],
])('a title gives its name and year: %s', (title, parts) => {
  expect(titleParts(title)).toEqual(parts);
});
