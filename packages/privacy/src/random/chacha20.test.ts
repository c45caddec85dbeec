import { createCipheriv } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { chacha20Words, keyWords } from './chacha20.js';
import { WordStream } from './word-stream.js';

const hexOf = (words: Int32Array): string => Buffer.from(words.buffer).toString('hex');

describe('ChaCha20', () => {
  it('makes the block of RFC 8439 §2.3.2', () => {
    const key = keyWords(Uint8Array.from({ length: 32 }, (_, i) => i));
    const out = new Int32Array(16);
    chacha20Words(key, [0x09000000, 0x4a000000, 0], 1, out);
    expect(hexOf(out)).toBe(
      '10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e' +
        'd2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e',
    );
  });

  it('agrees with the platform over many blocks', () => {
    const key = Uint8Array.from({ length: 32 }, (_, i) => 7 * i + 3);
    const out = new Int32Array(16 * 100);
    chacha20Words(keyWords(key), [0, 0, 0], 0, out);
    const cipher = createCipheriv('chacha20', key, Buffer.alloc(16));
    expect(hexOf(out)).toBe(cipher.update(Buffer.alloc(6400)).toString('hex'));
  });

  it('refuses keys and lengths that are not its own', () => {
    expect(() => keyWords(new Uint8Array(16))).toThrow(RangeError);
    expect(() => chacha20Words(new Int32Array(8), [0, 0, 0], 0, new Int32Array(10))).toThrow(RangeError);
  });
});

describe('WordStream', () => {
  it('gives the words of the standard stream in order, however they are taken', () => {
    const key = new Uint8Array(32).fill(9);
    const expected = new Int32Array(16 * 400);
    chacha20Words(keyWords(key), [0, 0, 0], 0, expected);
    const stream = new WordStream(key);
    const taken: number[] = [];
    for (let i = 0; taken.length < 6000; i++) taken.push(...stream.take(1 + ((i * 37) % 1008)));
    expect(taken.slice(0, 6000)).toEqual([...expected.subarray(0, 6000)]);
  });

  it('can be read from any place on', () => {
    const key = new Uint8Array(32).fill(9);
    const whole = new WordStream(key);
    const expected = Array.from({ length: 200 }, () => whole.next());
    for (const [first, blocks] of [
      [0, 2],
      [1, 1],
      [16, 2],
      [37, 2],
      [90, 64],
    ] as const) {
      const stream = new WordStream(key, first, blocks);
      expect(Array.from({ length: 100 }, () => stream.next())).toEqual(expected.slice(first, first + 100));
    }
  });

  it('breaks ties from another stream, by the place of the word and leaving the first stream where it was', () => {
    const key = new Uint8Array(32);
    const [a, b, c] = [new WordStream(key), new WordStream(key), new WordStream(key, 1, 1)];
    a.next();
    const first = a.tieBreaker();
    expect(a.tieBreaker()).toBe(first);
    b.next();
    expect(a.next()).toBe(b.next());
    expect(a.tieBreaker()).not.toBe(first);
    expect(b.tieBreaker()).toBe(a.tieBreaker());
    c.next();
    expect(c.tieBreaker()).toBe(a.tieBreaker());
  });
});
