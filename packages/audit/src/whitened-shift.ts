import type { CalibratedPlan, CalibratedRelease } from '@hushrec/privacy';
import type { ReleasedValue, Transcript } from './transcript.js';

/**
 * How far apart two neighbouring data sets are along one transcript, in units of the planned noise: for
 * Gaussian releases √Σ ‖Σ_t^(−½)(f_t(D) − f_t(D′))‖², which must not exceed μ; for pure ones (Laplace,
 * K-norm, randomised response) the sum of changes over scale, which must not exceed ε. Without false alarms:
 * no noise is involved.
 */
export function whitenedShift(plan: CalibratedPlan, a: Transcript, b: Transcript): number {
  let squares = 0;
  let sum = 0;
  for (const [key, { release, value }] of a) {
    const other = b.get(key)?.value;
    const line = plan.releases.find((each) => each.name === release)!;
    if (value.kind === 'numbers' && other?.kind === 'numbers') {
      if (line.mechanism.kind === 'gaussian') squares += squaredChange(value, other.values);
      else sum += pureChange(value, other.values, line);
    }
    if (value.kind === 'bits' && other?.kind === 'bits') {
      sum +=
        value.values.reduce((count, bit, at) => count + Number(bit !== other.values[at]), 0) / line.noise;
    }
    if (value.kind === 'cells' && other?.kind === 'cells') sum += cellChange(value, other);
  }
  return Math.sqrt(squares) + sum;
}

type Numbers = Extract<ReleasedValue, { kind: 'numbers' }>;
type Cells = Extract<ReleasedValue, { kind: 'cells' }>;

/** ‖change‖²/scale², off-diagonal entries of symmetric layouts twice. */
function squaredChange({ values, layout, scale }: Numbers, other: Float64Array): number {
  let square = 0;
  let row = 0;
  let column = 0;
  for (let at = 0; at < values.length; at++) {
    const change = (values[at] - other[at]) ** 2;
    square += layout.kind === 'symmetric' && row !== column ? 2 * change : change;
    if (layout.kind === 'symmetric' && ++column === layout.width) {
      row = (row + 1) % layout.width;
      column = row;
    }
  }
  return square / scale ** 2;
}

/** ‖change‖₁/scale (Laplace), or Σ over vectors of ‖change‖₂/scale (K-norm). */
function pureChange(
  { values, layout, scale }: Numbers,
  other: Float64Array,
  line: CalibratedRelease,
): number {
  if (line.mechanism.kind !== 'k-norm') {
    let absolute = 0;
    for (let at = 0; at < values.length; at++) absolute += Math.abs(values[at] - other[at]);
    return absolute / scale;
  }
  const { dimension } = line.mechanism;
  const bounds = layout.kind === 'vectors' && line.perPart ? layout.sensitivities : undefined;
  let sum = 0;
  for (let vector = 0; vector * dimension < values.length; vector++) {
    let square = 0;
    for (let at = vector * dimension; at < (vector + 1) * dimension; at++)
      square += (values[at] - other[at]) ** 2;
    const own = bounds === undefined ? scale : (line.noise * bounds[vector]) / line.sensitivity;
    if (square > 0) sum += Math.sqrt(square) / own;
  }
  return sum;
}

function cellChange({ cells, scale }: Cells, other: Cells): number {
  const theirs = new Map(Array.from(other.cells.columns, (column, at) => [column, other.cells.values[at]]));
  let absolute = 0;
  cells.columns.forEach((column, at) => {
    absolute += Math.abs(cells.values[at] - (theirs.get(column) ?? 0));
    theirs.delete(column);
  });
  for (const value of theirs.values()) absolute += Math.abs(value);
  return absolute / scale;
}
