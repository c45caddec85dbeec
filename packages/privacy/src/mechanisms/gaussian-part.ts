import { addDrawAt, addDraws, type GaussianStream, type NoisedNumbers } from '../samplers/gaussian-stream.js';
import { type NoiseThreads, runNoiseTasks } from './noise-threads.js';

/**
 * One part of a Gaussian release in the making: entry k gets draw k of the stream. `values` are whole
 * numbers, below 2^52/perStep.
 */
export interface GaussianPart extends NoisedNumbers {
  readonly stream: GaussianStream;
}

/** Numbers that a thread takes at a time: about a millisecond of work. */
const RANGE = 65_536;

/**
 * Adds noise to every RANGE-th stretch of a part until `next` has given all of them out; returns what ties
 * left out: place, value, …
 */
export function addNoiseToRanges({ stream, ...numbers }: GaussianPart, next: () => number): number[] {
  const ties: number[] = [];
  for (;;) {
    const begin = next() * RANGE;
    if (begin >= numbers.values.length) return ties;
    const end = Math.min(begin + RANGE, numbers.values.length);
    addDraws(stream, numbers, begin, end, (place, value) => ties.push(place, value));
  }
}

/**
 * Adds the noise, in threads where they are given and worth it. The result does not depend on that.
 * O(values).
 */
export async function addGaussianNoise(part: GaussianPart, threads?: NoiseThreads): Promise<void> {
  let range = 0;
  const ties =
    threads !== undefined && part.values.length > RANGE
      ? await runNoiseTasks(part, threads)
      : addNoiseToRanges(part, () => range++);
  for (let k = 0; k < ties.length; k += 2) addDrawAt(part.stream, part, ties[k], ties[k + 1]);
}
