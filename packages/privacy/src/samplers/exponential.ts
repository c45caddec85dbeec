import type { WordStream } from '../random/word-stream.js';

const WORDS = 8;
const UNIT = 2 ** -32;

/** Probability that a draw is in the part of the tail where its relative error exceeds 2^-50. */
export const EXPONENTIAL_DISTANCE = 2 ** -200;

/**
 * A standard exponential variable with relative error at most 2^-50: −ln U, with U from 256 bits. Near U = 1
 * the distance 1 − U is formed from the complemented bits, so that small values keep their relative precision
 * as well; U < 2^-203 (the only place where 256 bits are not enough) has probability 2^-203.
 *
 * Pr[E > γ] = e^(−γ), which makes the comparison a coin of that probability.
 */
export function exponential(stream: WordStream): number {
  const first = stream.next();
  const upper = first >= 2 ** 31;
  // Horner's scheme needs the least significant word first, and the order of independent words is free.
  let fraction = 0.5;
  for (let i = 1; i < WORDS; i++) fraction = stream.next() + fraction * UNIT;
  fraction = ((upper ? ~first >>> 0 : first) + fraction * UNIT) * UNIT;
  return upper ? -Math.log1p(-fraction) : -Math.log(fraction);
}
