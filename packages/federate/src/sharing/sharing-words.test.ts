import { describe, expect, it } from 'vitest';
import {
  expandSeed,
  maskWords,
  packWords,
  unpackWords,
  WordSizeError,
  WordSums,
  wordBytesFor,
} from './sharing-words.js';

const sizes = [4, 5, 6] as const;
const seed = (byte: number) => new Uint8Array(32).fill(byte);

/** Whole numbers around every place where a carry or a sign could go wrong. */
function awkward(bytes: 4 | 5 | 6): Float64Array {
  const half = 2 ** (8 * bytes - 1);
  return Float64Array.of(
    0,
    1,
    -1,
    255,
    256,
    -256,
    2 ** 31,
    -(2 ** 31),
    2 ** 31 - 1,
    half - 1,
    1 - half,
    -half,
  );
}

describe('words', () => {
  it('are as small as they can be', () => {
    expect([0, 2 ** 31 - 1, 2 ** 31, 2 ** 39 - 1, 2 ** 39].map(wordBytesFor)).toEqual([4, 4, 5, 5, 6]);
    expect(() => wordBytesFor(2 ** 47)).toThrow(WordSizeError);
  });

  it.each(sizes)('of %d bytes give back what they were made of', (size) => {
    const values = awkward(size).filter(
      (value) => value >= -(2 ** (8 * size - 1)) && value < 2 ** (8 * size - 1),
    );
    const sums = new WordSums(values.length, size);
    sums.add(packWords(values, size));
    expect(sums.values()).toEqual(values);
    const again = new WordSums(values.length, size);
    again.add(sums.words());
    expect(again.values()).toEqual(values);
  });

  it.each(sizes)(
    'of %d bytes: shares and noise add up to the exact sum, as big integers say',
    async (size) => {
      const modulus = 1n << BigInt(8 * size);
      const state = { word: 7 };
      const draw = () => {
        state.word = (state.word * 48271) % 2147483647;
        return Math.floor((state.word / 2147483647 - 0.5) * 2 ** (8 * size - 4));
      };
      const reports = Array.from({ length: 9 }, () => Float64Array.from({ length: 33 }, draw));
      const noise = Float64Array.from({ length: 11 }, draw);
      const [first, second, third] = [0, 1, 2].map(() => new WordSums(33, size));
      for (const [at, values] of reports.entries()) {
        const seeds = [seed(2 * at), seed(2 * at + 1)];
        first.add(await maskWords(packWords(values, size), size, seeds));
        second.add(await expandSeed(seeds[0], 33, size));
        third.add(await expandSeed(seeds[1], 33, size));
      }
      second.addValues(noise, 7);
      const total = new WordSums(33, size);
      for (const share of [first, second, third]) total.add(share.words());
      const expected = Array.from({ length: 33 }, (_, k) => {
        const exact = reports.reduce((sum, values) => sum + BigInt(values[k]), 0n);
        return Number(BigInt.asIntN(8 * size, (exact + BigInt(noise[k - 7] ?? 0)) % modulus));
      });
      expect(Array.from(total.values())).toEqual(expected);
    },
  );

  it('of 8 bytes are numbers modulo the prime of norm proofs', () => {
    const q = 2n ** 64n - 2n ** 32n + 1n;
    const edges = [0n, 1n, q - 1n, 2n ** 32n - 1n, 2n ** 32n, q - 2n ** 32n, 2n ** 63n, q / 2n, q / 2n + 1n];
    const values = Float64Array.of(0, 1, -1, 2 ** 32, -(2 ** 32), 1 - 2 ** 32, 2 ** 51, -(2 ** 51), -12345);
    expect(unpackWords(packWords(values, 8), 8)).toEqual(values);
    const sums = new WordSums(9, 8);
    const exact = edges.map(() => 0n);
    for (let round = 0; round < 50; round++) {
      const numbers = BigUint64Array.from(edges, (_, at) => edges[(at * 7 + round) % 9]);
      sums.addNumbers(numbers, 0);
      sums.add(packWords(values, 8));
      if (round % 9 === 0) sums.addValues(values.subarray(2), 1);
      for (let at = 0; at < 9; at++) {
        const noise = round % 9 === 0 && at >= 1 && at < 8 ? BigInt(values[at + 1]) : 0n;
        exact[at] = (exact[at] + numbers[at] + BigInt(values[at]) + noise + 2n * q) % q;
      }
    }
    const words = sums.words();
    const [low, high] = [0, 36].map((begin) => new Uint32Array(words.slice(begin, begin + 36).buffer));
    expect(Array.from(low, (each, at) => BigInt(each) + 2n ** 32n * BigInt(high[at]))).toEqual(exact);
    // Shares that add up to small numbers.
    const shares = new WordSums(9, 8);
    shares.add(words);
    shares.addNumbers(
      BigUint64Array.from(exact, (each, at) => (2n * q - each + BigInt(values[at])) % q),
      0,
    );
    expect(shares.values()).toEqual(values);
  });

  it('reduce before they stop being exact', () => {
    const size = 6;
    const sums = new WordSums(1, size);
    const largest = packWords(Float64Array.of(-1), size);
    for (let k = 0; k < 2 ** 20 + 3; k++) sums.add(largest);
    expect(sums.values()).toEqual(Float64Array.of(-(2 ** 20 + 3)));
  });

  it('refuse another length, and seeds of another length', async () => {
    expect(() => new WordSums(3, 5).add(new Uint8Array(14))).toThrow('15 bytes');
    await expect(expandSeed(new Uint8Array(31), 1, 4)).rejects.toThrow('32 bytes');
  });

  it('expand by AES-256 in counter mode, counter 0', async () => {
    // NIST SP 800-38A has no zero counter; this is the ECB vector of FIPS 197 C.3 by way of XOR: E_K(0) of
    // the zero key.
    const bytes = await expandSeed(seed(0), 4, 4);
    expect(Buffer.from(bytes).toString('hex')).toBe('dc95c078a2408989ad48a21492842087');
  });
});
