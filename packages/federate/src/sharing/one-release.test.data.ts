import { type CalibratedPlan, calibrate } from '@hushrec/privacy';

/** A plan of one Gaussian release, `sums`, at ε = 1 and δ = 10⁻⁶. */
export function planOfSums(sensitivity: number): CalibratedPlan {
  return calibrate(
    {
      unit: 'user',
      relation: 'add-remove',
      released: 'sums',
      releases: [{ name: 'sums', mechanism: { kind: 'gaussian' }, sensitivity, count: 1, share: 1 }],
    },
    { epsilon: 1, delta: 1e-6 },
  );
}
