import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hmacSha256, Sha256, sha256Hex } from './sha256.js';

describe('SHA-256', () => {
  // NIST, "Examples with Intermediate Values".
  it.each([
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    [
      'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    ],
  ])('of %j', (text, digest) => {
    expect(sha256Hex(text)).toBe(digest);
  });

  it('agrees with the platform for any bytes, in any pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 5 }), (pieces) => {
        const ours = new Sha256();
        const theirs = createHash('sha256');
        for (const piece of pieces) {
          ours.update(piece);
          theirs.update(piece);
        }
        expect(Buffer.from(ours.digest()).toString('hex')).toBe(theirs.digest('hex'));
      }),
    );
  });

  it('makes the HMAC of RFC 4231', () => {
    const key = new Uint8Array(20).fill(0x0b);
    expect(Buffer.from(hmacSha256(key, 'Hi There')).toString('hex')).toBe(
      'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
    );
    const other = createHmac('sha256', 'k').update('message').digest('hex');
    expect(Buffer.from(hmacSha256(new TextEncoder().encode('k'), 'message')).toString('hex')).toBe(other);
    expect(() => hmacSha256(new Uint8Array(65), '')).toThrow(RangeError);
  });
});
