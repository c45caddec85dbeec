import { expect, it } from 'vitest';
import { standOutWords } from './whose-taste.js';

it('says which groups of titles are more than noise', () => {
  expect(standOutWords([null, 0.7, 1.6, 2.9, 4.1])).toBe(
    'Above 1 × taste outweighs noise; in the two rarest fifths it does not.',
  );
  expect(standOutWords([0.9, 1.1, 1.6, 2.9, 4.1])).toContain('in the rarest fifth it does not');
  expect(standOutWords([1.2, 0.7, 1.6, 2.9, 4.1])).toContain('in 1 of 5 groups it does not');
  expect(standOutWords([1, 1, 1, 1, 1])).toContain('Every fifth');
  expect(standOutWords([null, 0.1, 0.2, 0.3, 0.4])).toContain('None is above');
});
