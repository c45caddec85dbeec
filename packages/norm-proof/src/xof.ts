// XofHmacSha256Aes128 of draft-chen-cfrg-vdaf-pine: HMAC-SHA-256 of what it is for gives key and first
// counter of AES-128-CTR, whose key stream it is.
import type { Shape } from './circuit.js';
import { MODULUS } from './field.js';

/** What is used of Node's own module. */
interface NodeCrypto {
  createHmac(name: 'sha256', key: Uint8Array): Hmac;
  createCipheriv(
    name: 'aes-128-ctr',
    key: Uint8Array,
    counter: Uint8Array,
  ): { update(bytes: Uint8Array): Uint8Array };
}

interface Hmac {
  update(bytes: Uint8Array): Hmac;
  digest(): Uint8Array;
}

/** Node's own where there is one: without the queue and the copies of WebCrypto. The bytes are the same. */
const node = (
  globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } }
).process?.getBuiltinModule?.('node:crypto') as NodeCrypto | undefined;

export const SEED_BYTES = 32;

async function hmac(key: Uint8Array, parts: readonly Uint8Array[]): Promise<Uint8Array> {
  if (node !== undefined) {
    const mac = node.createHmac('sha256', key);
    for (const part of parts) mac.update(part);
    return mac.digest();
  }
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', key.slice(), algorithm, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, concat(parts)));
}

async function keyStream(key: Uint8Array, counter: Uint8Array, length: number): Promise<Uint8Array> {
  const zeros = new Uint8Array(length);
  if (node !== undefined) return node.createCipheriv('aes-128-ctr', key, counter).update(zeros);
  const imported = await crypto.subtle.importKey('raw', key.slice(), 'AES-CTR', false, ['encrypt']);
  const algorithm = { name: 'AES-CTR', counter: counter.slice(), length: 128 };
  return new Uint8Array(await crypto.subtle.encrypt(algorithm, imported, zeros));
}

export function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Draft version and identifier of the algorithm, before the two bytes of what is derived. */
const ALGORITHM = Uint8Array.of(1, 0xff, 0xff, 0x10, 0x04);

/** What is derived: in the key of every stream, so that no two are equal. */
export const Usage = {
  values: 1,
  proofs: 2,
  jointRandomness: 3,
  proving: 4,
  asking: 5,
  jointSeed: 6,
  jointPart: 7,
  wrapRandomness: 8,
  wrapSeed: 9,
  wrapPart: 10,
} as const;

/** The first bytes of the stream that belongs to seed, usage and everything in `bound`. */
export async function stream(
  seed: Uint8Array,
  usage: number,
  bound: readonly Uint8Array[],
  length: number,
): Promise<Uint8Array> {
  const tag = Uint8Array.of(...ALGORITHM, usage >> 8, usage & 255);
  const digest = await hmac(seed, [Uint8Array.of(tag.length), tag, ...bound]);
  return keyStream(digest.subarray(0, 16), digest.subarray(16, 32), length);
}

function deriveSeed(seed: Uint8Array, usage: number, bound: readonly Uint8Array[]): Promise<Uint8Array> {
  return stream(seed, usage, bound, SEED_BYTES);
}

/**
 * Uniform numbers modulo q: eight bytes each, little-endian, those from q on left out. One number in 2^32 is,
 * so that a few more are drawn at once.
 */
export async function uniformVector(
  seed: Uint8Array,
  usage: number,
  bound: readonly Uint8Array[],
  length: number,
): Promise<BigUint64Array<ArrayBuffer>> {
  for (let spare = 4; ; spare *= 2) {
    const bytes = await stream(seed, usage, bound, 8 * (length + spare));
    const words = new BigUint64Array(bytes.slice().buffer);
    const halves = new Uint32Array(words.buffer);
    let kept = 0;
    for (let at = 0; at < words.length && kept < length; at++) {
      // q = 2^64 − 2^32 + 1: from q on all high bits are set, and the low half is not 0.
      if (halves[2 * at + 1] === 0xffffffff && halves[2 * at] !== 0) continue;
      if (kept !== at) words[kept] = words[at];
      kept++;
    }
    if (kept === length) return words.slice(0, length);
  }
}

/** The second aggregator's share of a vector. */
export function valuesStream(seed: Uint8Array, length: number): Promise<BigUint64Array<ArrayBuffer>> {
  return uniformVector(seed, Usage.values, [SECOND], length);
}

/** The second aggregator's share of proofs. */
export function proofStream(
  seed: Uint8Array,
  { proofs }: Shape,
  length: number,
): Promise<BigUint64Array<ArrayBuffer>> {
  return uniformVector(seed, Usage.proofs, [Uint8Array.of(1, proofs), SECOND], length);
}

const SECOND = Uint8Array.of(1);

/**
 * Randomness that follows from the shares, so that nobody can choose it before them: each aggregator's part
 * is a hash of its share, and the seed a hash of both parts.
 */
export interface Part {
  readonly part: number;
  readonly seed: number;
}

/** For the tests for wrapping around, and for what the parts of a proof count. */
export const PARTS = {
  wrap: { part: Usage.wrapPart, seed: Usage.wrapSeed },
  joint: { part: Usage.jointPart, seed: Usage.jointSeed },
} as const;

/** @param blind secret, so that a part tells nothing about a share */
export function jointPart(
  { part }: Part,
  blind: Uint8Array,
  which: number,
  nonce: Uint8Array,
  share: BigUint64Array,
): Promise<Uint8Array> {
  return deriveSeed(blind, part, [Uint8Array.of(which), nonce, bytesOf(share)]);
}

export function jointSeed({ seed }: Part, parts: Uint8Array): Promise<Uint8Array> {
  return deriveSeed(new Uint8Array(SEED_BYTES), seed, [parts]);
}

/** Numbers as they are handed over. */
export function bytesOf(vector: BigUint64Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** Numbers that were handed over; undefined where one of them is not below q. */
export function vectorOf(bytes: Uint8Array): BigUint64Array<ArrayBuffer> | undefined {
  const vector = new BigUint64Array(bytes.slice().buffer);
  const halves = new Uint32Array(vector.buffer);
  for (let at = 0; at < vector.length; at++)
    if (halves[2 * at + 1] === 0xffffffff && vector[at] >= MODULUS) return undefined;
  return vector;
}
