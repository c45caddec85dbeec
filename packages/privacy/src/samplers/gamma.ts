import type { WordStream } from '../random/word-stream.js';
import { exponential } from './exponential.js';

/**
 * Gamma variable of shape `halves`/2 and scale 1 with relative error at most 2^-49: a sum of ⌊halves/2⌋
 * exponentials, and for odd `halves` half of a squared normal, E·cos²θ with E exponential (Box–Muller). All
 * terms are positive, so nothing cancels. O(halves).
 */
export function gammaOfHalves(halves: number, stream: WordStream): number {
  let sum = 0;
  for (let i = 1; i < halves; i += 2) sum += exponential(stream);
  if (halves % 2 === 1) {
    const radius = exponential(stream);
    const words = stream.take(2);
    const angle = Math.PI * ((words[0] >>> 0) * 2 ** -32 + ((words[1] >>> 0) + 0.5) * 2 ** -64);
    sum += radius * Math.cos(angle) ** 2;
  }
  return sum;
}
