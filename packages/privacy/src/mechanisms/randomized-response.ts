import type { WordStream } from '../random/word-stream.js';
import { Bernoulli } from '../samplers/bernoulli.js';
import { divide, expMinus, fixedFromNumber, ONE } from '../samplers/fixed-point.js';

/**
 * Randomised response (Warner 1965): every bit is turned over with probability 1/(1 + e^ε), independently.
 * One changed bit costs ε; bits that do not change between neighbours cost nothing. Returns new bits.
 */
export function randomizedResponse(bits: Uint8Array, epsilonPerBit: number, stream: WordStream): Uint8Array {
  const odds = expMinus(fixedFromNumber(epsilonPerBit));
  const turned = new Bernoulli(divide(odds, ONE + odds) + 1n);
  const out = new Uint8Array(bits.length);
  for (let i = 0; i < bits.length; i++) out[i] = bits[i] ^ (turned.draw(stream) ? 1 : 0);
  return out;
}
