// PINE for two aggregators (Rothblum, Omri, Chen, Talwar 2023, arXiv 2311.10237; draft-chen-cfrg-vdaf-pine,
// Pine64HmacSha256Aes128): a vector is split into two shares with a proof that it is no longer than allowed.
import {
  type NormBound,
  normEvaluation,
  restEvaluation,
  type Shape,
  shapeOf,
  testedVector,
} from './circuit.js';
import type { FieldKernel } from './kernel.js';
import { ask, decide, joined } from './linear-proof.js';
import { fieldNumbers } from './numbers.js';
import { honest, type ProvedShares, RANDOM_BYTES, splitVector, testResults, testWeights } from './split.js';
import { fastKernel } from './wasm-kernel.js';
import {
  bytesOf,
  concat,
  jointPart,
  jointSeed,
  PARTS,
  type Part,
  proofStream,
  SEED_BYTES,
  Usage,
  uniformVector,
  valuesStream,
  vectorOf,
} from './xof.js';

export const NONCE_BYTES = 16;
export const VERIFY_KEY_BYTES = SEED_BYTES;

/** What one aggregator knows of a vector before it has heard of the other. */
export interface Prepared {
  /** Share of the vector. */
  readonly values: BigUint64Array<ArrayBuffer>;
  /** For the other aggregator, once. */
  readonly message: Uint8Array<ArrayBuffer>;
  /** Seeds of the randomness with which it was looked at. */
  readonly seeds: Uint8Array;
}

/** Splits vectors with a proof, and checks what was split. */
export class NormProof {
  readonly shape: Shape;
  /** Bytes of what both get besides their shares. */
  readonly publicBytes = 4 * SEED_BYTES;
  /** Bytes of a share, by aggregator. */
  readonly shareBytes: readonly [number, number];
  /** Bytes of what each aggregator sends the other. */
  readonly messageBytes: number;
  readonly #verifierLength: number;
  readonly #kernel: FieldKernel;

  /** @throws RangeError where such a bound cannot be proved */
  constructor(bound: NormBound, kernel: FieldKernel = fastKernel()) {
    this.shape = shapeOf(bound);
    this.#kernel = kernel;
    const { norm, rest, proofs, encodedLength } = this.shape;
    const proofLength = norm.proofLength + proofs * rest.proofLength;
    this.shareBytes = [8 * (encodedLength + proofLength) + 2 * SEED_BYTES, 4 * SEED_BYTES];
    this.#verifierLength = norm.verifierLength + proofs * rest.verifierLength;
    this.messageBytes = 8 * this.#verifierLength + 2 * SEED_BYTES;
  }

  /**
   * Splits whole numbers. Whoever has one share, and sees what the aggregators send each other, learns that
   * the vector is no longer than allowed, up to `tests`·2e^(−8.7²).
   *
   * @param random secret, used for nothing else: with the same bytes two vectors have the same mask
   * @throws RangeError where the vector is longer than allowed, and, with the probability above, for others
   */
  async split(values: Float64Array, nonce: Uint8Array, random: Uint8Array): Promise<ProvedShares> {
    if (values.length !== this.shape.length)
      throw new RangeError(`The vector has ${values.length} numbers; expected ${this.shape.length}.`);
    if (nonce.length !== NONCE_BYTES || random.length !== RANDOM_BYTES)
      throw new RangeError(`A nonce has ${NONCE_BYTES} bytes, randomness ${RANDOM_BYTES}.`);
    return splitVector(this.shape, this.#kernel, fieldNumbers(values), nonce, random, honest);
  }

  /**
   * One aggregator's half of the check. The message is sent once for a nonce: each further one, under another
   * key or for another share, would tell something about the vector. That of aggregator 1 is not sent while
   * share 0 can still change: it shows the point at which the proof is looked at.
   *
   * @param key secret of the aggregators, fixed before any vector is split
   * @param which 0 or 1: the place of this aggregator
   * @throws RangeError where the share cannot be read, and one in 2^50 times
   */
  async prepare(
    key: Uint8Array,
    which: 0 | 1,
    nonce: Uint8Array,
    shared: Uint8Array,
    share: Uint8Array,
  ): Promise<Prepared> {
    if (shared.length !== this.publicBytes || share.length !== this.shareBytes[which])
      throw new RangeError('A share with a proof has another length.');
    const { shape } = this;
    const { norm, rest, proofs } = shape;
    const kernel = this.#kernel;
    const { encoded, proof, blinds } = await this.#read(which, share);
    const seedOf = async (part: Part, at: number, about: BigUint64Array) => {
      const blind = blinds.subarray(at * SEED_BYTES, (at + 1) * SEED_BYTES);
      const own = await jointPart(part, blind, which, nonce, about);
      const parts = shared.slice(2 * at * SEED_BYTES, 2 * (at + 1) * SEED_BYTES);
      // What this share is, whatever the device says of it.
      parts.set(own, which * SEED_BYTES);
      return { own, seed: await jointSeed(part, parts) };
    };
    const wrap = await seedOf(PARTS.wrap, 0, encoded.subarray(0, shape.normLength));
    const joint = await seedOf(PARTS.joint, 1, encoded);
    const values = encoded.slice(0, shape.length);
    const tested = testedVector(values, shape);
    const results = await testResults(shape, kernel, tested, wrap.seed);
    const points = await uniformVector(key, Usage.asking, [Uint8Array.of(1, proofs), nonce], 1 + proofs);
    const verifier = [
      ask(
        norm,
        normEvaluation(shape, encoded, tested),
        proof.subarray(0, norm.proofLength),
        points[0],
        kernel,
      ),
    ];
    for (const [which, weights] of (await testWeights(shape, joint.seed)).entries()) {
      const at = norm.proofLength + which * rest.proofLength;
      const evaluation = restEvaluation(shape, encoded, results, weights, 2);
      verifier.push(
        ask(rest, evaluation, proof.subarray(at, at + rest.proofLength), points[1 + which], kernel),
      );
    }
    return {
      values,
      message: concat([bytesOf(joined(verifier)), wrap.own, joint.own]),
      seeds: concat([wrap.seed, joint.seed]),
    };
  }

  /** Whether the vector is in order, by both aggregators' messages in their order. */
  async accepts(
    { seeds }: Pick<Prepared, 'seeds'>,
    messages: readonly [Uint8Array, Uint8Array],
  ): Promise<boolean> {
    if (messages.some(({ length }) => length !== this.messageBytes)) return false;
    const numbers = 8 * this.#verifierLength;
    const [first, second] = messages.map((message) => vectorOf(message.subarray(0, numbers)));
    if (first === undefined || second === undefined) return false;
    const verifier = this.#kernel.add(first, second);
    const { norm, rest, proofs } = this.shape;
    if (!decide(norm, verifier.subarray(0, norm.verifierLength))) return false;
    for (let proof = 0; proof < proofs; proof++) {
      const at = norm.verifierLength + proof * rest.verifierLength;
      if (!decide(rest, verifier.subarray(at, at + rest.verifierLength))) return false;
    }
    const parts = (at: number) => concat(messages.map((message) => message.subarray(at, at + SEED_BYTES)));
    const seen = concat([
      await jointSeed(PARTS.wrap, parts(numbers)),
      await jointSeed(PARTS.joint, parts(numbers + SEED_BYTES)),
    ]);
    return seen.every((value, at) => value === seeds[at]);
  }

  /**
   * The share of the vector alone, of a share that was accepted.
   */
  async values(which: 0 | 1, share: Uint8Array): Promise<BigUint64Array<ArrayBuffer>> {
    const { length } = this.shape;
    if (which === 1) return valuesStream(share.subarray(0, SEED_BYTES), length);
    return new BigUint64Array(share.slice(0, 8 * length).buffer);
  }

  /** Sums of shares, number by number. */
  add(a: BigUint64Array, b: BigUint64Array): BigUint64Array<ArrayBuffer> {
    return this.#kernel.add(a, b);
  }

  async #read(which: 0 | 1, share: Uint8Array) {
    const { encodedLength } = this.shape;
    const blinds = share.subarray(share.length - 2 * SEED_BYTES);
    if (which === 1) {
      const proofLength = (this.shareBytes[0] - 2 * SEED_BYTES) / 8 - encodedLength;
      return {
        encoded: await valuesStream(share.subarray(0, SEED_BYTES), encodedLength),
        proof: await proofStream(share.subarray(SEED_BYTES, 2 * SEED_BYTES), this.shape, proofLength),
        blinds,
      };
    }
    const numbers = vectorOf(share.subarray(0, share.length - 2 * SEED_BYTES));
    if (numbers === undefined) throw new RangeError('A number of a share is not below the modulus.');
    return { encoded: numbers.subarray(0, encodedLength), proof: numbers.subarray(encodedLength), blinds };
  }
}
