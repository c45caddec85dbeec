// What a thread does for a release: see `runNoiseTasks`.
import type { GaussianStream } from '../samplers/gaussian-stream.js';
import { addNoiseToRanges } from './gaussian-part.js';
import type { NoisePayload } from './noise-threads.js';

/**
 * Tables that are the same for every σ: the first ones that came, so that the kernel need not load them
 * again.
 */
let fixed: Pick<GaussianStream, 'narrow' | 'wide'> = {};

/** Adds noise to ranges of a part until none is left; returns what ties left out. */
export function addNoise({ part, next }: NoisePayload): number[] {
  const { narrow, wide } = part.stream;
  fixed = { ...(narrow && { narrow }), ...(wide && { wide }), ...fixed };
  return addNoiseToRanges({ ...part, stream: { ...part.stream, ...fixed } }, () => Atomics.add(next, 0, 1));
}
