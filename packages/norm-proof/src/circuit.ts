import { inverse, MODULUS, powerOfTwo, reduce } from './field.js';

/** What is proved of a vector of whole numbers, and how. Both sides must have the same. */
export interface NormBound {
  /** How many numbers. */
  readonly length: number;
  /** Most Euclidean length, at least 1. */
  readonly bound: number;
  /** Indices of entries that count twice in the squared length (both halves of a symmetric matrix). */
  readonly twice?: Uint32Array;
  /**
   * Products of one call in the proof of the length, and in that of everything else; what makes the shortest
   * proofs when absent.
   */
  readonly lengthChunk?: number;
  readonly restChunk?: number;
  /** How many tests for wrapping around there are, and how many of them must succeed. */
  readonly tests: number;
  readonly successes: number;
  /** Proofs of everything but the length: two are sound in spite of the small field. */
  readonly proofs: number;
}

/** The draft's numbers of tests and proofs. */
export const USUAL = { tests: 100, successes: 100, proofs: 2 } as const;

/** α of the tests: an honest vector fails one with probability 2e^(−α²) at most. */
const REACH = 8.7;

/** Everything that follows from a bound. */
export interface Shape extends Omit<NormBound, 'lengthChunk' | 'restChunk'> {
  readonly squaredBound: bigint;
  readonly normBits: number;
  /** A test succeeds from −(testBound − 1) to testBound, a power of two. */
  readonly testBound: bigint;
  readonly testBits: number;
  /** Numbers of the vector that is tested: entries that count twice stand in it twice. */
  readonly testedLength: number;
  /** Numbers that must be 0 or 1. */
  readonly bitLength: number;
  /** Numbers of the share that proves the length; with the bits of tests, too. */
  readonly normLength: number;
  readonly encodedLength: number;
  readonly norm: Circuit;
  readonly rest: Circuit;
}

/** What a circuit asks for: `calls` sums of products of pairs, or of squares, `arity` numbers each. */
export interface Circuit {
  readonly paired: boolean;
  readonly arity: number;
  readonly calls: number;
  /** Points of the polynomials: a power of two. */
  readonly points: number;
  readonly proofLength: number;
  readonly verifierLength: number;
}

function circuitOf(paired: boolean, arity: number, calls: number): Circuit {
  const points = powerOfTwo(1 + calls);
  return { paired, arity, calls, points, proofLength: arity + 2 * points - 1, verifierLength: arity + 2 };
}

/**
 * The shape of a bound B with 3B² + 2 < q, which the range check needs. The tests need q ≥ 2,600 times their
 * bound β ≤ 2·8.7·B + 4, q ≥ β²/4,000 and q ≥ 2·`tests` (Lemma 3.3 of Rothblum et al. 2023): all follow.
 *
 * @throws RangeError where a field of 64 bits is too small
 */
export function shapeOf(given: NormBound): Shape {
  const { length, bound, twice, tests } = given;
  if (!(Number.isSafeInteger(length) && length >= 1))
    throw new RangeError(`A vector of ${length} numbers cannot be proved; expected a whole number ≥ 1.`);
  if (!(bound >= 1 && bound < Infinity))
    throw new RangeError(`The bound is ${bound}; expected a number of steps ≥ 1.`);
  const squaredBound = Number.isInteger(bound) ? BigInt(bound) ** 2n : BigInt(Math.floor(bound * bound));
  const testBound = BigInt(powerOfTwo(Math.ceil(REACH * bound) + 1));
  if (MODULUS - 2n <= 3n * squaredBound)
    throw new RangeError(`A length of ${bound} steps is too long for a proof modulo 2^64 − 2^32 + 1.`);
  const normBits = bitsOf(squaredBound);
  const testBits = bitsOf(2n * testBound - 1n);
  const testedLength = length + (twice?.length ?? 0);
  const bitLength = 2 * normBits + (testBits + 1) * tests;
  const norm = (chunk: number) => circuitOf(false, chunk, Math.ceil(testedLength / chunk));
  const rest = (chunk: number) =>
    circuitOf(true, 2 * chunk, Math.ceil(bitLength / chunk) + Math.ceil(tests / chunk));
  return {
    ...given,
    squaredBound,
    normBits,
    testBound,
    testBits,
    testedLength,
    bitLength,
    normLength: length + 2 * normBits,
    encodedLength: length + bitLength,
    norm: given.lengthChunk === undefined ? shortest(testedLength, norm) : norm(given.lengthChunk),
    rest: given.restChunk === undefined ? shortest(bitLength + tests, rest) : rest(given.restChunk),
  };
}

/** The shortest proof of a circuit of so many products: chunks are as small as numbers of points allow. */
function shortest(products: number, circuit: (chunk: number) => Circuit): Circuit {
  let best = circuit(products);
  for (let points = 2; points <= 2 * products; points *= 2) {
    const next = circuit(Math.ceil(products / (points - 1)));
    if (next.proofLength < best.proofLength) best = next;
  }
  return best;
}

function bitsOf(value: bigint): number {
  return value.toString(2).length;
}

/** Lowest bit first. */
export function toBits(value: bigint, count: number): bigint[] {
  return Array.from({ length: count }, (_, bit) => (value >> BigInt(bit)) & 1n);
}

function fromBits(bits: BigUint64Array): bigint {
  return reduce(bits.reduce((sum, bit, at) => sum + (bit << BigInt(at)), 0n));
}

/** What is multiplied, call by call, and what follows from the sums of each call. */
export interface Evaluation {
  /** `arity` numbers a call; of pairs the halves stand side by side. */
  readonly rows: BigUint64Array<ArrayBuffer>;
  /** 0 where all is in order; a share of it, of shares of sums. */
  output(sums: BigUint64Array): bigint;
}

/** The vector that is tested. */
export function testedVector(entries: BigUint64Array, { twice }: NormBound): BigUint64Array {
  if (twice === undefined) return entries;
  const tested = new BigUint64Array(entries.length + twice.length);
  tested.set(entries);
  for (const [at, index] of twice.entries()) tested[entries.length + at] = entries[index];
  return tested;
}

/** The squared length is the number whose bits follow. */
export function normEvaluation(shape: Shape, encoded: BigUint64Array, tested: BigUint64Array): Evaluation {
  const { length, normBits, norm } = shape;
  const stated = fromBits(encoded.subarray(length, length + normBits));
  const rows = new BigUint64Array(norm.calls * norm.arity);
  rows.set(tested);
  return { rows, output: (sums) => reduce(stated - total(sums)) };
}

/**
 * Everything else, as one number under three random ones: bits are bits; the squared length is in range; each
 * test that counts has the result whose bits are given; so many tests count as must.
 */
export function restEvaluation(
  shape: Shape,
  encoded: BigUint64Array,
  results: BigUint64Array,
  [onBits, onTests, onParts]: BigUint64Array,
  shares: number,
): Evaluation {
  const { length, normBits, testBits, testBound, tests, successes, squaredBound, rest } = shape;
  // Constants are shared out evenly.
  const part = inverse(BigInt(shares));
  const bits = encoded.subarray(length);
  const rows = new BigUint64Array(rest.calls * rest.arity);
  let factor = 1n;
  for (const [at, bit] of bits.entries()) {
    rows[2 * at] = (factor * bit) % MODULUS;
    rows[2 * at + 1] = (bit + MODULUS - part) % MODULUS;
    factor = (factor * onBits) % MODULUS;
  }
  const bitCalls = Math.ceil((2 * bits.length) / rest.arity);
  const from = bitCalls * rest.arity;
  const lowest = reduce((testBound - 1n) * part);
  let counted = 0n;
  factor = 1n;
  for (let test = 0; test < tests; test++) {
    const at = 2 * normBits + test * (testBits + 1);
    const stated = fromBits(bits.subarray(at, at + testBits)) - lowest;
    const counts = bits[at + testBits];
    rows[from + 2 * test] = reduce(factor * (results[test] - stated));
    rows[from + 2 * test + 1] = counts;
    counted += counts;
    factor = (factor * onTests) % MODULUS;
  }
  const squared = fromBits(bits.subarray(0, normBits));
  const below = fromBits(bits.subarray(normBits, 2 * normBits));
  const inRange = squared + below - squaredBound * part;
  const enough = counted - BigInt(successes) * part;
  return {
    rows,
    output: (sums) => {
      const areBits = total(sums.subarray(0, bitCalls));
      const areResults = total(sums.subarray(bitCalls));
      return reduce(areBits + onParts * (inRange + onParts * (areResults + onParts * enough)));
    },
  };
}

function total(values: BigUint64Array): bigint {
  return values.reduce((sum, value) => sum + value, 0n);
}
