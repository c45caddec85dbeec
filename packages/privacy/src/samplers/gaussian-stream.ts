import { keyWords } from '../random/chacha20.js';
import { KERNEL_WORDS, noiseKernel, type PackedStream, placeOf } from '../random/noise-kernel.js';
import { freshSecret } from '../random/run-secret.js';
import { WordStream } from '../random/word-stream.js';
import { type DiscreteGaussian, discreteGaussian, narrowTable, wideTable } from './discrete-gaussian.js';

/**
 * Draws number 0, 1, 2, … under one key, for the entries of packed upper triangles of `width`: of `sigma` on
 * diagonals, of `offSigma` beside them. With width 1 every draw is of `sigma`. Draw k is made of the words
 * from k·wordsPerDraw on and depends on nothing else, so that any thread can make any of them. Plain data,
 * the tables in shared memory where the host has it.
 */
export interface GaussianStream extends PackedStream {
  readonly sigma: number;
  readonly offSigma: number;
}

/** Numbers, and how their noise is scaled: v becomes (v·perStep + draw)·step. */
export interface NoisedNumbers {
  readonly values: Float64Array;
  /** The same array or another one. */
  readonly out: Float64Array;
  readonly perStep: number;
  readonly step: number;
}

export function gaussianStream(key: Uint8Array, sigma: number, width = 1, offSigma = sigma): GaussianStream {
  const packed = ({ top, narrowLevels, wideLevels }: DiscreteGaussian) => ({
    top: top.packed,
    narrowLevels,
    wideLevels,
  });
  const [on, off] = [discreteGaussian(sigma), discreteGaussian(offSigma)];
  return {
    key: keyWords(key),
    sigma,
    offSigma,
    width,
    wordsPerDraw: Math.max(on.wordsPerDraw, off.wordsPerDraw),
    diagonal: packed(on),
    offDiagonal: packed(off),
    ...(on.narrowLevels + off.narrowLevels > 0 && { narrow: narrowTable().packed }),
    ...(on.wideLevels + off.wideLevels > 0 && { wide: wideTable().packed }),
  };
}

/** Draw number `index`, by the reference code: the sampler of its place, at its words. */
export function drawAt(stream: GaussianStream, index: number): number {
  const { key, sigma, offSigma, width, wordsPerDraw } = stream;
  const diagonal = placeOf(index, width).left === 0;
  return discreteGaussian(diagonal ? sigma : offSigma).draw(new WordStream(key, index * wordsPerDraw, 2));
}

/**
 * Adds draws [begin, end) to the numbers of the same places. `tied` gets the places that the kernel leaves
 * out (2^-17 a word), with what stands there: whoever has the exact tables calls `addDrawAt` for them.
 * O(end − begin).
 */
export function addDraws(
  stream: GaussianStream,
  numbers: NoisedNumbers,
  begin: number,
  end: number,
  tied: (place: number, value: number) => void,
): void {
  const kernel = noiseKernel();
  if (kernel === null) {
    for (let place = begin; place < end; place++) {
      addDrawAt(stream, numbers, place, numbers.values[place]);
    }
    return;
  }
  const { values, out, perStep, step } = numbers;
  const most = Math.floor((KERNEL_WORDS - 15) / stream.wordsPerDraw);
  kernel.load(stream);
  for (let first = begin; first < end; first += most) {
    const count = Math.min(most, end - first);
    kernel.out.set(values.subarray(first, first + count));
    for (const index of kernel.draw(stream, first, count, perStep, step)) {
      tied(first + index, values[first + index]);
    }
    out.set(kernel.out.subarray(0, count), first);
  }
}

/** The same for one place, where `value` stands, by the reference code. */
export function addDrawAt(
  stream: GaussianStream,
  { out, perStep, step }: NoisedNumbers,
  place: number,
  value: number,
): void {
  out[place] = (value * perStep + drawAt(stream, place)) * step;
}

/**
 * Fills `target` with draws of a fresh secret key and keeps none of it: for timing and testing. Released
 * noise has its recorder.
 */
export function drawDiscreteGaussian(target: Float64Array, sigma: number): void {
  const stream = gaussianStream(freshSecret(), sigma);
  const numbers = { values: target.fill(0), out: target, perStep: 1, step: 1 };
  const ties: number[] = [];
  addDraws(stream, numbers, 0, target.length, (place) => ties.push(place));
  for (const place of ties) target[place] = drawAt(stream, place);
}
