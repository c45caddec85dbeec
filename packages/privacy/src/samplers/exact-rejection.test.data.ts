import type { WordStream } from '../random/word-stream.js';

/**
 * The samplers of Canonne, Kamath & Steinke 2020 in integer arithmetic, without any approximation. Slow and
 * of variable running time: the oracle that the fast samplers are tested against, not a source of released
 * noise.
 */
export interface Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Uniform on 0 … bound − 1, by rejection. */
function uniformInteger(bound: bigint, stream: WordStream): bigint {
  let words = 1;
  while (1n << BigInt(32 * words) < bound) words++;
  const limit = ((1n << BigInt(32 * words)) / bound) * bound;
  for (;;) {
    let value = 0n;
    for (let i = 0; i < words; i++) value = (value << 32n) | BigInt(stream.next());
    if (value < limit) return value % bound;
  }
}

const bernoulli = ({ numerator, denominator }: Rational, stream: WordStream): boolean =>
  uniformInteger(denominator, stream) < numerator;

/** A coin of probability e^(−γ), γ ≥ 0 (Algorithm 1). */
function bernoulliExpMinus({ numerator, denominator }: Rational, stream: WordStream): boolean {
  let left = numerator;
  while (left > denominator) {
    if (!expMinusAtMostOne({ numerator: 1n, denominator: 1n }, stream)) return false;
    left -= denominator;
  }
  return expMinusAtMostOne({ numerator: left, denominator }, stream);
}

/** e^(−γ) for γ ≤ 1: k grows while coins of γ/k show heads; the answer is whether it stops at an odd k. */
function expMinusAtMostOne({ numerator, denominator }: Rational, stream: WordStream): boolean {
  let k = 1n;
  while (bernoulli({ numerator, denominator: denominator * k }, stream)) k++;
  return k % 2n === 1n;
}

/** Pr[x] ∝ e^(−|x|/t) for a whole t ≥ 1 (Algorithm 2). */
export function exactDiscreteLaplace(scale: bigint, stream: WordStream): bigint {
  for (;;) {
    const remainder = uniformInteger(scale, stream);
    if (!bernoulliExpMinus({ numerator: remainder, denominator: scale }, stream)) continue;
    let quotient = 0n;
    while (bernoulliExpMinus({ numerator: 1n, denominator: 1n }, stream)) quotient++;
    const magnitude = remainder + scale * quotient;
    const negative = stream.next() % 2 === 1;
    if (negative && magnitude === 0n) continue;
    return negative ? -magnitude : magnitude;
  }
}

/** Pr[x] ∝ e^(−x²/(2σ²)) for a rational variance parameter σ² (Algorithm 3). */
export function exactDiscreteGaussian(variance: Rational, stream: WordStream): bigint {
  let scale = 1n;
  while (scale * scale * variance.denominator <= variance.numerator) scale++;
  for (;;) {
    const y = exactDiscreteLaplace(scale, stream);
    const magnitude = y < 0n ? -y : y;
    // (|y| − σ²/t)² / (2σ²), as one fraction.
    const difference = magnitude * scale * variance.denominator - variance.numerator;
    const gamma = {
      numerator: difference * difference,
      denominator: 2n * variance.numerator * variance.denominator * scale * scale,
    };
    if (bernoulliExpMinus(gamma, stream)) return y;
  }
}
