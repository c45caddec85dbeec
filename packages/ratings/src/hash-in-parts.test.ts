import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { updateInParts } from './hash-in-parts.js';

describe('updateInParts', () => {
  const values = Float64Array.from({ length: 1001 }, (_, k) => Math.sqrt(k));
  const whole = createHash('sha256').update(values).digest('hex');

  it.each([1, 7, 8, 1000, 8007, 8008, 8009, undefined])(
    'gives the hash of the whole in parts of %s bytes',
    (size) => {
      const hash = createHash('sha256');
      updateInParts(hash, values, size);
      expect(hash.digest('hex')).toBe(whole);
    },
  );

  it('hashes the part of a buffer that a view shows', () => {
    const hash = createHash('sha256');
    updateInParts(hash, values.subarray(3, 500), 1000);
    expect(hash.digest('hex')).toBe(createHash('sha256').update(values.slice(3, 500)).digest('hex'));
  });
});
