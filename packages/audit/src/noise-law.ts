import type { CalibratedRelease } from '@hushrec/privacy';
import type { ReleasedValue } from './transcript.js';

/** What the noise of one released part showed, of which the planned law knows the distribution. */
export type NoiseEvidence =
  /**
   * Sizes of draws, in units in which the planned law has these moments. Their sum is close to a Gamma law,
   * or exactly one.
   */
  | {
      readonly kind: 'sizes';
      readonly what: string;
      readonly draws: number;
      readonly sum: number;
      readonly mean: number;
      readonly variance: number;
    }
  /** How often something happened that has this probability at every draw. */
  | {
      readonly kind: 'events';
      readonly what: string;
      readonly draws: number;
      readonly happened: number;
      readonly probability: number;
    };

/**
 * Mean and variance of |X|/t for discrete Laplace noise X with t steps per scale. With q = e^(−1/t),
 * E|X| = 2q/(1 − q²) and E X² = 2q/(1 − q)². On a coarse grid this is well below the continuous law's t and
 * 2t².
 */
function laplaceSizes(t: number): { readonly mean: number; readonly variance: number } {
  const q = Math.exp(-1 / t);
  const mean = (2 * q) / (1 - q * q) / t;
  return { mean, variance: (2 * q) / (1 - q) ** 2 / t ** 2 - mean ** 2 };
}

type Numbers = Extract<ReleasedValue, { kind: 'numbers' }>;
type Cells = Extract<ReleasedValue, { kind: 'cells' }>;

/**
 * On the grid that was really used: a mechanism may halve the statistic's step until its noise is fine
 * enough.
 */
export function stepsPerScale({ values, scale, gridStep }: Numbers): number {
  let step = gridStep;
  for (const value of values) {
    while (!Number.isInteger(value / step) && step > gridStep * 2 ** -40) step /= 2;
  }
  return scale / step;
}

/**
 * What one part shows of its noise, if `truth` is what it was added to. Sizes are minus the logarithm of the
 * density, up to a constant, so that for every continuous law their sum is Gamma distributed with scale 1:
 *
 * - Gaussian: z²/2 of n coordinates, Gamma(n/2);
 * - Laplace: |z| of n coordinates, Gamma(n) (on a coarse grid, the moments of the discrete law);
 * - K-norm: ‖z‖₂ of a vector of p coordinates, Gamma(p). Rounding to the grid adds 8 steps² to each variance,
 * a share of 8/1024² at most, which no number of draws in an audit can see.
 * - randomised response: each bit is turned over with probability 1/(1 + e^ε), ε = 1/noise;
 * - thresholded Laplace: see `cellEvidence`.
 *
 * Empty where nothing can be said: a choice shows no noise, and a Poisson-sampled sum varies by its sample
 * besides.
 */
export function noiseEvidence(
  line: CalibratedRelease,
  seen: ReleasedValue,
  truth: ReleasedValue,
): readonly NoiseEvidence[] {
  if (line.noise === 0) return [];
  if (seen.kind === 'numbers' && truth.kind === 'numbers') return sizeEvidence(line, seen, truth);
  if (seen.kind === 'bits' && truth.kind === 'bits') {
    const happened = seen.values.reduce((sum, bit, at) => sum + Number(bit !== truth.values[at]), 0);
    const probability = 1 / (1 + Math.exp(1 / line.noise));
    return [{ kind: 'events', what: 'turned over', draws: seen.values.length, happened, probability }];
  }
  if (seen.kind === 'cells' && truth.kind === 'cells') return cellEvidence(seen, truth);
  return [];
}

function sizeEvidence(line: CalibratedRelease, seen: Numbers, truth: Numbers): readonly NoiseEvidence[] {
  const values = noiseInScales(line, seen, truth);
  if (values === undefined) return [];
  const sizes = (draws: number, sum: number, mean: number, variance: number): NoiseEvidence[] =>
    draws === 0 ? [] : [{ kind: 'sizes', what: 'size', draws, sum, mean, variance }];
  let sum = 0;
  switch (line.mechanism.kind) {
    case 'gaussian':
      for (const z of values) sum += (z * z) / 2;
      return sizes(values.length, sum, values.length / 2, values.length / 2);
    case 'laplace': {
      const { mean, variance } = laplaceSizes(stepsPerScale(seen));
      for (const z of values) sum += Math.abs(z);
      return sizes(values.length, sum, values.length * mean, values.length * variance);
    }
    case 'k-norm': {
      const { dimension } = line.mechanism;
      let vectors = 0;
      for (let begin = 0; begin < values.length; begin += dimension) {
        if (!(vectorScale(line, seen, begin / dimension) > 0)) continue;
        let square = 0;
        for (let at = begin; at < begin + dimension; at++) square += values[at] ** 2;
        sum += Math.sqrt(square);
        vectors++;
      }
      return sizes(vectors, sum, vectors * dimension, vectors * dimension);
    }
    default:
      return [];
  }
}

/**
 * (released − exact)/scale, coordinate by coordinate; 0 for a K-norm vector that gets no noise. Absent where
 * the part has no noise, or a sample of its own besides.
 */
export function noiseInScales(
  line: CalibratedRelease,
  seen: Numbers,
  truth: Numbers,
): Float64Array | undefined {
  const { layout, scale } = seen;
  const { mechanism } = line;
  if (!(scale > 0) || mechanism.kind === 'poisson-sampled-gaussian') return undefined;
  const width = layout.kind === 'symmetric' ? layout.width : 1;
  let row = 0;
  let column = 0;
  return seen.values.map((released, at) => {
    const noise = released - truth.values[at];
    if (mechanism.kind === 'k-norm') {
      const own = vectorScale(line, seen, Math.floor(at / mechanism.dimension));
      return own > 0 ? noise / own : 0;
    }
    const own = row === column ? scale : scale / Math.SQRT2;
    if (++column === width) {
      row = (row + 1) % width;
      column = row;
    }
    return noise / own;
  });
}

/** Scale of one vector of a K-norm part; 0 where no unit of privacy can move it, and it gets no noise. */
function vectorScale(line: CalibratedRelease, { layout, scale }: Numbers, vector: number): number {
  const bounds = layout.kind === 'vectors' && line.perPart ? layout.sensitivities : undefined;
  return bounds === undefined ? scale : (line.noise * bounds[vector]) / line.sensitivity;
}

/**
 * Cells that were empty. With t steps per scale, q = e^(−1/t) and the threshold passed at k steps, each
 * survives with probability 2qᵏ/(1 + q), and its size beyond k is geometric of ratio q, up to the limit c: E
 * min(G, c) = q(1 − qᶜ)/(1 − q) and E min(G, c)² = Σ (2j − 1)qʲ over j = 1 … c.
 */
function cellEvidence(seen: Cells, truth: Cells): readonly NoiseEvidence[] {
  const { scale, gridStep, threshold, clampTo, columnCount } = seen;
  if (!(scale > 0)) return [];
  const q = Math.exp(-gridStep / scale);
  const least = Math.max(1, Math.floor(threshold / gridStep) + 1);
  const most = Math.floor(clampTo / gridStep);
  const present = new Set(truth.cells.columns);
  let survived = 0;
  let beyond = 0;
  seen.cells.columns.forEach((column, at) => {
    if (present.has(column)) return;
    survived++;
    beyond += Math.min(Math.round(Math.abs(seen.cells.values[at]) / gridStep), most) - least;
  });
  const survivors: NoiseEvidence = {
    kind: 'events',
    what: 'beyond the threshold',
    draws: columnCount - present.size,
    happened: survived,
    probability: (2 * q ** least) / (1 + q),
  };
  if (survived === 0 || most <= least) return [survivors];
  const { mean, square } = cutGeometric(q, most - least);
  return [
    survivors,
    {
      kind: 'sizes',
      what: 'size beyond the threshold',
      draws: survived,
      sum: beyond,
      mean: survived * mean,
      variance: survived * (square - mean ** 2),
    },
  ];
}

/** Moments of min(G, c) for G of ratio q: Pr[G ≥ j] = qʲ. */
function cutGeometric(q: number, c: number): { readonly mean: number; readonly square: number } {
  const tail = q ** c;
  const mean = (q * (1 - tail)) / (1 - q);
  // Σ j qʲ over j = 1 … c.
  const weighted = (q * (1 - (c + 1) * tail + c * tail * q)) / (1 - q) ** 2;
  return { mean, square: 2 * weighted - mean };
}
