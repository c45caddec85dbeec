import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { plainKernel } from './kernel.js';
import { NormProof } from './norm-proof.js';
import { wholeNumbers } from './numbers.js';
import { fastKernel } from './wasm-kernel.js';
import { bytesOf } from './xof.js';

interface PublishedVector {
  readonly name: string;
  readonly dimension: number;
  readonly bound: number;
  readonly fractionBits: number;
  readonly lengthChunk: number;
  readonly restChunk: number;
  readonly tests: number;
  readonly successes: number;
  readonly proofs: number;
  readonly verifyKey: string;
  readonly splits: readonly {
    readonly ones: readonly number[];
    readonly nonce: string;
    readonly random: string;
    readonly public: string;
    readonly shares: readonly string[];
    readonly messages: readonly string[];
    readonly seeds: string;
    readonly values: readonly string[];
  }[];
  readonly sums: readonly string[];
}

const { vectors } = JSON.parse(
  readFileSync(new URL('../fixtures/pine64-hmac-sha256-aes128.json', import.meta.url), 'utf8'),
) as { readonly vectors: readonly PublishedVector[] };

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const bytes = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'));
const hash = (of: Uint8Array) => createHash('sha256').update(of).digest('hex');

describe.each(vectors)('the published vector $name', (vector) => {
  it.each([
    ['plain', plainKernel],
    ['fast', fastKernel()],
  ])('follows byte for byte (%s kernel)', async (_, kernel) => {
    const proof = new NormProof({ ...vector, length: vector.dimension }, kernel);
    const sums = [0, 1].map(() => new BigUint64Array(vector.dimension));
    for (const published of vector.splits) {
      const values = new Float64Array(vector.dimension);
      for (const one of published.ones) values[one] = 2 ** vector.fractionBits;
      const nonce = bytes(published.nonce);
      const split = await proof.split(values, nonce, bytes(published.random));
      expect(hex(split.public)).toBe(published.public);
      expect(split.shares.map(hash)).toEqual(published.shares);
      const prepared = await Promise.all(
        ([0, 1] as const).map((which) =>
          proof.prepare(bytes(vector.verifyKey), which, nonce, split.public, split.shares[which]),
        ),
      );
      expect(prepared.map(({ message }) => hash(message))).toEqual(published.messages);
      expect(prepared.map(({ values }) => hash(bytesOf(values)))).toEqual(published.values);
      for (const [which, each] of prepared.entries()) {
        expect(hex(each.seeds)).toBe(published.seeds);
        expect(await proof.accepts(each, [prepared[0].message, prepared[1].message])).toBe(true);
        sums[which] = kernel.add(sums[which], each.values);
      }
    }
    expect(sums.map((sum) => hash(bytesOf(sum)))).toEqual(vector.sums);
    const ones = vector.splits.flatMap(({ ones }) => ones);
    const total = wholeNumbers(kernel.add(sums[0], sums[1]));
    expect(Array.from(total)).toEqual(
      Array.from(total, (_, at) => 2 ** vector.fractionBits * ones.filter((one) => one === at).length),
    );
  });
});
