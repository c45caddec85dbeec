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

  it('hashes more than Node takes at once: the values and times of 268 million ratings', () => {
    // Pages of zeros that were never written take no memory.
    const long = new Float64Array(2 ** 28 + 1);
    expect(() => createHash('sha256').update(long)).toThrow();
    const [inParts, oneByOne] = [createHash('sha256'), createHash('sha256')];
    updateInParts(inParts, long);
    const gibibyte = new Uint8Array(long.buffer, 0, 2 ** 30);
    oneByOne.update(gibibyte).update(gibibyte).update(new Uint8Array(8));
    expect(inParts.digest('hex')).toBe(oneByOne.digest('hex'));
  });
});
