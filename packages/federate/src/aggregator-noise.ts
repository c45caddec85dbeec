import { hmacSha256, type LineShape, lineOf, plannedNoise, WordSums } from '@hushrec/privacy';
import { hashHex } from './bytes.js';
import type { Charter } from './charter.js';
import type { OpenExchange } from './open-exchange.js';

/** Noise for one line in fine grid steps, in place of the planned one; none where it is undefined. */
export type NoiseSource = (exchange: number, shape: LineShape) => Float64Array | undefined;

/** Where an aggregator's noise comes from. */
export interface NoiseMaking {
  /**
   * 32 secret bytes; noise follows from them, so that a crash between drawing and publishing draws nothing
   * new.
   */
  readonly secret: Uint8Array;
  /**
   * In simulations: other noise than the planned one under this secret. Whoever gives it can take it away
   * again.
   */
  readonly noise?: NoiseSource;
  /**
   * In simulations: the planned noise follows from secret, exchange and line alone, so that the simulation
   * can be repeated. Elsewhere it never may: two sums with the same noise give away their difference.
   */
  readonly repeatable?: boolean;
}

/** What an aggregator publishes: its sums with its noise, as words. O(words). */
export async function noisyWords(
  charter: Charter,
  charterHash: string,
  { number: exchange, planned, words: count, sums: exact }: OpenExchange,
  set: string,
  { secret, noise: given, repeatable = false }: NoiseMaking,
): Promise<Uint8Array<ArrayBuffer>> {
  const { by, honestNeeded } = charter.noise;
  const words = exact.words();
  const sums = new WordSums(count, charter.wordBytes);
  sums.add(words);
  const sumHash = await hashHex(words);
  // Keyed by everything that identifies it: the same set re-creates the same noise, anything else gives
  // independent noise.
  const drawn = (line: number, shape: LineShape) => {
    if (by !== 'aggregators' || lineOf(planned.plan, shape).noise === 0) return undefined;
    const identity = repeatable
      ? ['hushrec-simulated-noise-1', exchange, line]
      : ['hushrec-aggregator-noise-1', charterHash, exchange, line, set, sumHash];
    return plannedNoise(planned.plan, shape, honestNeeded, hmacSha256(secret, JSON.stringify(identity)));
  };
  let begin = 0;
  for (const [line, shape] of planned.lines.entries()) {
    const noise = await (given ? given(exchange, shape) : drawn(line, shape));
    if (noise !== undefined) sums.addValues(noise, begin);
    begin += shape.length;
  }
  return sums.words();
}
