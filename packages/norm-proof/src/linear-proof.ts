// Fully linear proofs of Boneh et al. 2019, Theorem 4.3, in the form of draft-irtf-cfrg-vdaf: the sums that a
// circuit asks for are the values of one polynomial, which is checked at one point.
import type { Circuit, Evaluation } from './circuit.js';
import { evaluate, inverse, inverses, MODULUS, power, powersOf, reduce, rootOfUnity } from './field.js';
import type { FieldKernel } from './kernel.js';

/**
 * A proof: what the wires are at the first point (which hides the values at all other points), and the
 * coefficients of the polynomial.
 */
export function prove(
  { arity, points, paired }: Circuit,
  { rows }: Evaluation,
  firsts: BigUint64Array,
  kernel: FieldKernel,
): BigUint64Array {
  return joined([firsts, kernel.sumOfProducts(joined([firsts, rows]), arity, points, paired)]);
}

/**
 * A share of the verifier's numbers: what the circuit gives, all wires and the polynomial at one point.
 *
 * @throws RangeError for a point where the wires are what must stay hidden (one in 2^50 and fewer)
 */
export function ask(
  { arity, calls, points }: Circuit,
  { rows, output }: Evaluation,
  proof: BigUint64Array,
  point: bigint,
  kernel: FieldKernel,
): BigUint64Array {
  if (power(point, BigInt(points)) === 1n) throw new RangeError('The point of a proof is a root of unity.');
  const [firsts, coefficients] = [proof.subarray(0, arity), proof.subarray(arity)];
  const sums = kernel.valuesAtRoots(coefficients, points).subarray(1, calls + 1);
  const weights = lagrangeWeights(points, point).subarray(0, calls + 1);
  return joined([
    BigUint64Array.of(output(sums)),
    kernel.weightedSum(joined([firsts, rows]), weights, arity),
    BigUint64Array.of(evaluate(coefficients, point)),
  ]);
}

/** Whether the verifier's numbers, all shares together, are those of a vector that is in order. */
export function decide({ arity, paired }: Circuit, verifier: BigUint64Array): boolean {
  const wires = verifier.subarray(1, arity + 1);
  let sum = 0n;
  for (let at = 0; at < arity; at += paired ? 2 : 1) sum += wires[at] * wires[paired ? at + 1 : at];
  return verifier[0] === 0n && reduce(sum) === verifier[arity + 1];
}

/** What each value at the roots of unity counts in the value at `point`. */
function lagrangeWeights(points: number, point: bigint): BigUint64Array {
  const roots = powersOf(rootOfUnity(points), points);
  const factor = ((power(point, BigInt(points)) - 1n) * inverse(BigInt(points))) % MODULUS;
  const distances = inverses(roots.map((root) => reduce(point - root)));
  return BigUint64Array.from(roots, (root, at) => reduce(((factor * root) % MODULUS) * distances[at]));
}

export function joined(parts: readonly BigUint64Array[]): BigUint64Array<ArrayBuffer> {
  const all = new BigUint64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
