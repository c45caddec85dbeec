import { hmacSha256 } from '@hushrec/privacy';
import { hashHex } from './bytes.js';
import type { Charter } from './charter.js';
import type { OpenExchange } from './open-exchange.js';
import { screeningScales } from './screening.js';
import { type LineShape, lineOf } from './sharing/sharing-line.js';
import { plannedNoise } from './sharing/sharing-noise.js';
import { WordSums } from './sharing/sharing-words.js';

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

/**
 * What an aggregator shows of a set of reports: its sums with its noise, as words. O(words).
 *
 * @param what the published sum, or a look, which has more noise (`screening.ts`)
 */
export async function noisyWords(
  charter: Charter,
  charterHash: string,
  { number: exchange, planned, words: count }: Pick<OpenExchange, 'number' | 'planned' | 'words'>,
  exact: WordSums,
  set: string,
  { secret, noise: given, repeatable = false }: NoiseMaking,
  what: 'sum' | 'look' = 'sum',
): Promise<Uint8Array<ArrayBuffer>> {
  const { by, honestNeeded } = charter.noise;
  const scale = screeningScales(charter.screening)[what];
  const words = exact.words();
  const sums = new WordSums(count, charter.wordBytes);
  sums.add(words);
  const sumHash = await hashHex(words);
  // Keyed by everything that identifies it: the same set re-creates the same noise, anything else gives
  // independent noise.
  const drawn = (line: number, shape: LineShape) => {
    if (by !== 'aggregators' || lineOf(planned.plan, shape).noise === 0) return undefined;
    const label = what === 'look' ? 'hushrec-look-noise-1' : 'hushrec-aggregator-noise-1';
    const identity = !repeatable
      ? [label, charterHash, exchange, line, set, sumHash]
      : what === 'look'
        ? ['hushrec-simulated-look-1', exchange, line, set]
        : ['hushrec-simulated-noise-1', exchange, line];
    const key = hmacSha256(secret, JSON.stringify(identity));
    return plannedNoise(planned.plan, shape, honestNeeded, key, scale);
  };
  let begin = 0;
  for (const [line, shape] of planned.lines.entries()) {
    const noise = await (given ? given(exchange, shape) : drawn(line, shape));
    if (noise !== undefined) sums.addValues(noise, begin);
    begin += shape.length;
  }
  return sums.words();
}
