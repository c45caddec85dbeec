import type { CalibratedPlan } from '@hushrec/privacy';
import type { Transcript } from './transcript.js';

/**
 * How far apart two neighbouring data sets are along one transcript, in units of the planned noise: for a Gaussian plan
 * √Σ ‖Σ_t^(−½)(f_t(D) − f_t(D′))‖², which must not exceed μ; for Laplace and K-norm Σ of changes over scale, which must
 * not exceed ε. Without false alarms: no noise is involved.
 */
export function whitenedShift(plan: CalibratedPlan, a: Transcript, b: Transcript): number {
  let squares = 0;
  let sum = 0;
  for (const [key, { release, value }] of a) {
    const other = b.get(key)?.value;
    if (value.kind !== 'numbers' || other?.kind !== 'numbers') continue;
    const { mechanism } = plan.releases.find((each) => each.name === release)!;
    const { layout, scale, values } = value;
    let square = 0;
    let absolute = 0;
    let row = 0;
    let column = 0;
    for (let at = 0; at < values.length; at++) {
      const change = values[at]! - other.values[at]!;
      absolute += Math.abs(change);
      const twice = layout.kind === 'symmetric' && row !== column;
      square += twice ? 2 * change ** 2 : change ** 2;
      if (layout.kind === 'symmetric' && ++column === layout.width) {
        row = (row + 1) % layout.width;
        column = row;
      }
    }
    if (mechanism.kind === 'laplace') sum += absolute / scale;
    else if (mechanism.kind === 'gaussian') squares += square / scale ** 2;
  }
  return Math.sqrt(squares) + sum;
}
