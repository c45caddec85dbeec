import type { CalibratedPlan, CalibratedRelease } from '@hushrec/privacy';
import type { ReleasedValue, Transcript } from './transcript.js';

/**
 * ln p(transcript | with) − ln p(transcript | without), under the noise that the plan claims: by Neyman and
 * Pearson the statistic that tells the two data sets apart best, if the claim is true. If it is not, it is
 * still a valid statistic.
 *
 * `exactWith` and `exactWithout` are the un-noised values that the two data sets give along this very
 * transcript.
 */
export function logLikelihoodRatio(
  plan: CalibratedPlan,
  transcript: Transcript,
  exactWith: Transcript,
  exactWithout: Transcript,
): number {
  let sum = 0;
  for (const [key, { release, value }] of transcript) {
    const withCanary = exactWith.get(key)?.value;
    const withoutCanary = exactWithout.get(key)?.value;
    if (withCanary === undefined || withoutCanary === undefined) {
      // One of the two data sets would not have released this at all.
      if (withCanary === withoutCanary) continue;
      return withCanary === undefined ? -Infinity : Infinity;
    }
    const line = plan.releases.find((each) => each.name === release)!;
    sum += ratioOf(line, value, withCanary, withoutCanary);
  }
  return sum;
}

function ratioOf(line: CalibratedRelease, seen: ReleasedValue, a: ReleasedValue, b: ReleasedValue): number {
  const { mechanism, noise } = line;
  if (seen.kind === 'numbers' && a.kind === 'numbers' && b.kind === 'numbers') {
    switch (mechanism.kind) {
      case 'laplace':
        return absoluteRatio(seen.values, a.values, b.values) / seen.scale;
      case 'k-norm':
        return normRatio(seen, a.values, b.values, line, mechanism.dimension);
      default:
        return squaredRatio(seen, a.values, b.values);
    }
  }
  // Randomised response with ε = 1/noise: ln(e^ε) for every bit that only one of the two explains.
  if (seen.kind === 'bits' && a.kind === 'bits' && b.kind === 'bits') {
    let differing = 0;
    for (let at = 0; at < seen.values.length; at++) {
      differing += Number(seen.values[at] === a.values[at]) - Number(seen.values[at] === b.values[at]);
    }
    return differing / noise;
  }
  if (seen.kind === 'choice' && a.kind === 'choice' && b.kind === 'choice') {
    return (Number(seen.index === a.index) - Number(seen.index === b.index)) / noise;
  }
  if (seen.kind === 'cells' && a.kind === 'cells' && b.kind === 'cells') return cellRatio(seen, a, b);
  throw new TypeError('A release and its replay are of different kinds.');
}

type Numbers = Extract<ReleasedValue, { kind: 'numbers' }>;

/** Σ ((o − b)² − (o − a)²)/(2s²); off-diagonal entries of symmetric layouts have s = scale/√2. */
function squaredRatio({ values, layout, scale }: Numbers, a: Float64Array, b: Float64Array): number {
  let sum = 0;
  let row = 0;
  let column = 0;
  for (let at = 0; at < values.length; at++) {
    const difference = a[at] - b[at];
    const term = difference === 0 ? 0 : difference * (values[at] - (a[at] + b[at]) / 2);
    if (layout.kind !== 'symmetric') {
      sum += term;
      continue;
    }
    sum += row === column ? term : 2 * term;
    if (++column === layout.width) {
      row = (row + 1) % layout.width;
      column = row;
    }
  }
  return sum / scale ** 2;
}

function absoluteRatio(seen: Float64Array, a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < seen.length; at++) sum += Math.abs(seen[at] - b[at]) - Math.abs(seen[at] - a[at]);
  return sum;
}

/** Density ∝ exp(−‖z‖₂/scale) for each vector of the part. */
function normRatio(
  { values, layout, scale }: Numbers,
  a: Float64Array,
  b: Float64Array,
  line: CalibratedRelease,
  dimension: number,
): number {
  const bounds = layout.kind === 'vectors' && line.perPart ? layout.sensitivities : undefined;
  let sum = 0;
  for (let vector = 0; vector * dimension < values.length; vector++) {
    let toA = 0;
    let toB = 0;
    for (let at = vector * dimension; at < (vector + 1) * dimension; at++) {
      toA += (values[at] - a[at]) ** 2;
      toB += (values[at] - b[at]) ** 2;
    }
    if (toA === toB) continue;
    const own = bounds === undefined ? scale : (line.noise * bounds[vector]) / line.sensitivity;
    sum += (Math.sqrt(toB) - Math.sqrt(toA)) / own;
  }
  return sum;
}

type Cells = Extract<ReleasedValue, { kind: 'cells' }>;

/** Only cells that differ between the two data sets matter; the others cancel. */
function cellRatio(seen: Cells, a: Cells, b: Cells): number {
  const at = ({ cells }: Cells) =>
    new Map(Array.from(cells.columns, (column, index) => [column, cells.values[index]]));
  const outputs = at(seen);
  const truthA = at(a);
  const truthB = at(b);
  let sum = 0;
  for (const column of new Set([...truthA.keys(), ...truthB.keys()])) {
    const [x, y] = [truthA.get(column) ?? 0, truthB.get(column) ?? 0];
    if (x !== y)
      sum +=
        logCellProbability(seen, outputs.get(column), x) - logCellProbability(seen, outputs.get(column), y);
  }
  return sum;
}

/**
 * ln of the density (or, where clamped or cut, the probability) of one cell's output given its true value.
 */
function logCellProbability(
  { scale, threshold, clampTo }: Cells,
  output: number | undefined,
  truth: number,
): number {
  const below = (x: number) =>
    x < truth ? Math.exp((x - truth) / scale) / 2 : 1 - Math.exp((truth - x) / scale) / 2;
  if (output === undefined) return Math.log(below(threshold) - below(-threshold));
  if (output >= clampTo) return Math.log(1 - below(clampTo));
  if (output <= -clampTo) return Math.log(below(-clampTo));
  return -Math.abs(output - truth) / scale;
}
