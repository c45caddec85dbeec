import { expect, it } from 'vitest';
import { noiseBesideOne } from './release-words.js';

it('says no more of the noise than the least noisy release allows', () => {
  expect(noiseBesideOne(8.3)).toBe('In each, the noise is many times what you could change.');
  expect(noiseBesideOne(3.03)).toBe('In each, the noise is more than what you could change.');
  expect(noiseBesideOne(0.9)).toBe('In some, the noise is less than what you could change.');
});
