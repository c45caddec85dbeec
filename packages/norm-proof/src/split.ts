import { normEvaluation, restEvaluation, type Shape, testedVector, toBits } from './circuit.js';
import { reduce } from './field.js';
import type { FieldKernel } from './kernel.js';
import { joined, prove } from './linear-proof.js';
import {
  bytesOf,
  concat,
  jointPart,
  jointSeed,
  PARTS,
  type Part,
  proofStream,
  SEED_BYTES,
  stream,
  Usage,
  uniformVector,
  valuesStream,
} from './xof.js';

/** Secret random bytes that a split takes: seven seeds. */
export const RANDOM_BYTES = 7 * SEED_BYTES;

/** A vector as it is handed in. */
export interface ProvedShares {
  /** For both, and under the same seal as the share: with another one, a message could tell something. */
  readonly public: Uint8Array<ArrayBuffer>;
  readonly shares: readonly [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>];
}

/** What somebody says of a vector: bits that follow it. Others than honest ones are for tests. */
export interface Statement {
  lengthBits(shape: Shape, squaredLength: bigint): bigint[];
  testBits(shape: Shape, results: BigUint64Array): bigint[];
}

export const honest: Statement = {
  /** The squared length, and how much it is below the bound. */
  lengthBits({ squaredBound, normBits }, squaredLength) {
    if (squaredLength > squaredBound) throw new RangeError('The vector is longer than its bound.');
    return [...toBits(squaredLength, normBits), ...toBits(squaredBound - squaredLength, normBits)];
  },
  /** The result of each test, and whether it counts. */
  testBits({ testBits, testBound, successes }, results) {
    const bits: bigint[] = [];
    let counted = 0;
    for (const result of results) {
      const above = reduce(result + testBound - 1n);
      const isIn = above < 2n * testBound;
      const counts = isIn && counted < successes;
      if (counts) counted++;
      bits.push(...toBits(isIn ? above : 0n, testBits), counts ? 1n : 0n);
    }
    if (counted !== successes)
      throw new RangeError('Too few tests succeeded, by chance: split the vector with other random bytes.');
    return bits;
  },
};

/** Splits a vector of numbers modulo q, and proves what is said of it. */
export async function splitVector(
  shape: Shape,
  kernel: FieldKernel,
  vector: BigUint64Array,
  nonce: Uint8Array,
  random: Uint8Array,
  { lengthBits, testBits }: Statement,
): Promise<ProvedShares> {
  const [valuesSeed, proofsSeed, wrapBlind, jointBlind, firstWrapBlind, firstJointBlind, proveSeed] =
    Array.from({ length: 7 }, (_, at) => random.subarray(at * SEED_BYTES, (at + 1) * SEED_BYTES));
  const { norm, rest, proofs } = shape;
  const tested = testedVector(vector, shape);
  const mask = await valuesStream(valuesSeed, shape.encodedLength);
  const share = async (encoded: BigUint64Array, part: Part, blinds: readonly [Uint8Array, Uint8Array]) => {
    const second = mask.subarray(0, encoded.length);
    const first = kernel.subtract(encoded, second);
    const parts = await Promise.all(
      [first, second].map((each, which) => jointPart(part, blinds[which], which, nonce, each)),
    );
    return { first, parts: concat(parts) };
  };
  const squared = kernel.weightedSum(tested, tested, 1)[0];
  const normed = joined([vector, BigUint64Array.from(lengthBits(shape, squared))]);
  const wrap = await share(normed, PARTS.wrap, [firstWrapBlind, wrapBlind]);
  const results = await testResults(shape, kernel, tested, await jointSeed(PARTS.wrap, wrap.parts));
  const encoded = joined([normed, BigUint64Array.from(testBits(shape, results))]);
  const joint = await share(encoded, PARTS.joint, [firstJointBlind, jointBlind]);
  const weights = await testWeights(shape, await jointSeed(PARTS.joint, joint.parts));
  const counts = Uint8Array.of(1, proofs);
  const firsts = await uniformVector(proveSeed, Usage.proving, [counts], norm.arity + proofs * rest.arity);
  const all = [prove(norm, normEvaluation(shape, encoded, tested), firsts.subarray(0, norm.arity), kernel)];
  for (const [proof, three] of weights.entries()) {
    const at = norm.arity + proof * rest.arity;
    const evaluation = restEvaluation(shape, encoded, results, three, 1);
    all.push(prove(rest, evaluation, firsts.subarray(at, at + rest.arity), kernel));
  }
  const proof = joined(all);
  const proofShare = kernel.subtract(proof, await proofStream(proofsSeed, shape, proof.length));
  return {
    public: concat([wrap.parts, joint.parts]),
    shares: [
      concat([bytesOf(joint.first), bytesOf(proofShare), firstWrapBlind, firstJointBlind]),
      concat([valuesSeed, proofsSeed, wrapBlind, jointBlind]),
    ],
  };
}

/** Products with random vectors of −1, 0 and 1: small for a short vector that does not wrap around. */
export async function testResults(
  { tests }: Shape,
  kernel: FieldKernel,
  tested: BigUint64Array,
  seed: Uint8Array,
): Promise<BigUint64Array> {
  const bits = await stream(seed, Usage.wrapRandomness, [], tests * Math.ceil(tested.length / 4));
  return kernel.signedProducts(tested, bits, tests);
}

/** Three random numbers for each proof: what its parts count. */
export async function testWeights({ proofs }: Shape, seed: Uint8Array): Promise<BigUint64Array[]> {
  const numbers = await uniformVector(seed, Usage.jointRandomness, [Uint8Array.of(proofs)], 3 * proofs);
  return Array.from({ length: proofs }, (_, proof) => numbers.subarray(3 * proof, 3 * proof + 3));
}
