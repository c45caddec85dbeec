import { concatBytes, fromHex, toHex, utf8 } from './bytes.js';

// Blind signatures of RFC 9474, RSABSSA-SHA384-PSS-Deterministic, with 2048-bit keys and e = 65537: the
// client's side and the check, by BigInt and the host's SHA-384 and RSA-PSS. The message has 256 bits of
// entropy (a fresh public key), so that it need not be randomized. The signer's side is in
// `node/token-office.ts`.

/** Bytes of a modulus, a blinded message and a signature. */
export const RSA_BYTES = 256;
const HASH_BYTES = 48;
export const SALT_BYTES = 48;

/** Whether something is a 2048-bit modulus in hexadecimal: odd, with its first bit set. */
export function isModulus(value: unknown): value is string {
  return typeof value === 'string' && /^[89a-f][0-9a-f]{510}[13579bdf]$/.test(value);
}

const toBig = (bytes: Uint8Array): bigint => BigInt(`0x${toHex(bytes)}`);
const fromBig = (value: bigint) => fromHex(value.toString(16).padStart(2 * RSA_BYTES, '0'));

/** e = 2¹⁶ + 1: sixteen squarings and one product. */
function toExponent(base: bigint, n: bigint): bigint {
  let power = base;
  for (let bit = 0; bit < 16; bit++) power = (power * power) % n;
  return (power * base) % n;
}

/** Inverse modulo n by Euclid; undefined where they have a common factor. */
function inverse(value: bigint, n: bigint): bigint | undefined {
  let [r, next] = [n, value % n];
  let [t, nextT] = [0n, 1n];
  while (next !== 0n) {
    const quotient = r / next;
    [r, next] = [next, r - quotient * next];
    [t, nextT] = [nextT, t - quotient * nextT];
  }
  return r === 1n ? ((t % n) + n) % n : undefined;
}

async function sha384(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest('SHA-384', bytes));
}

async function mgf1(seed: Uint8Array, length: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (let counter = 0; HASH_BYTES * counter < length; counter++) {
    const number = new Uint8Array(4);
    new DataView(number.buffer).setUint32(0, counter);
    parts.push(await sha384(concatBytes([seed, number])));
  }
  return concatBytes(parts).subarray(0, length);
}

/** EMSA-PSS-ENCODE of RFC 8017, 9.1.1, for 2047 bits. */
async function encode(message: string, salt: Uint8Array): Promise<Uint8Array> {
  const digest = await sha384(concatBytes([new Uint8Array(8), await sha384(utf8(message)), salt]));
  const masked = new Uint8Array(RSA_BYTES - HASH_BYTES - 1);
  masked[masked.length - SALT_BYTES - 1] = 1;
  masked.set(salt, masked.length - SALT_BYTES);
  const mask = await mgf1(digest, masked.length);
  for (const [at, byte] of mask.entries()) masked[at] ^= byte;
  masked[0] &= 0x7f;
  return concatBytes([masked, digest, Uint8Array.of(0xbc)]);
}

/** Secret randomness of one blinding: 48 bytes of salt, and at least 272 from which the factor is made. */
export interface Blinding {
  readonly salt: Uint8Array;
  readonly factor: Uint8Array;
}

/**
 * What the signer is shown of a message, which tells nothing about it: the encoded message times rᵉ.
 *
 * @throws RangeError where message or factor share a prime with the modulus: with a proper key never
 */
export async function blindMessage(
  modulus: string,
  message: string,
  { salt, factor }: Blinding,
): Promise<Uint8Array<ArrayBuffer>> {
  const n = BigInt(`0x${modulus}`);
  const encoded = toBig(await encode(message, salt));
  const r = toBig(factor) % n;
  if (inverse(encoded, n) === undefined || inverse(r, n) === undefined)
    throw new RangeError('The key of the issuer is not one of two large primes.');
  return fromBig((encoded * toExponent(r, n)) % n);
}

/** The signature, hexadecimal, if what the signer answered makes one; undefined where it does not. */
export async function unblind(
  modulus: string,
  message: string,
  { factor }: Blinding,
  answer: Uint8Array,
): Promise<string | undefined> {
  const n = BigInt(`0x${modulus}`);
  const inverted = inverse(toBig(factor) % n, n);
  if (inverted === undefined) return undefined;
  const signature = toHex(fromBig((toBig(answer) * inverted) % n));
  return (await isBlindSigned(modulus, message, signature)) ? signature : undefined;
}

/** Whether a signature under a message is one of this key: RSASSA-PSS as any other. */
export async function isBlindSigned(modulus: string, message: string, signature: string): Promise<boolean> {
  try {
    const key = await verifyingKey(modulus);
    const check = { name: 'RSA-PSS', saltLength: SALT_BYTES };
    return await crypto.subtle.verify(check, key, fromHex(signature), utf8(message));
  } catch {
    return false;
  }
}

/** The last keys that were used: a run has one an exchange. */
const keys = new Map<string, Promise<CryptoKey>>();
const MOST_KEYS = 64;

function verifyingKey(modulus: string): Promise<CryptoKey> {
  const known = keys.get(modulus);
  if (known !== undefined) return known;
  const n = btoa(String.fromCharCode(...fromHex(modulus)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
  const key = crypto.subtle.importKey(
    'jwk',
    { kty: 'RSA', n, e: 'AQAB', alg: 'PS384' },
    { name: 'RSA-PSS', hash: 'SHA-384' },
    false,
    ['verify'],
  );
  if (keys.size >= MOST_KEYS) keys.delete(keys.keys().next().value!);
  keys.set(modulus, key);
  key.catch(() => keys.delete(modulus));
  return key;
}
