import type { FactorMatrix } from './csr.js';
import { sharedFloat32 } from './shared-array.js';

/** A matrix of zeros in shared memory. */
export function zeroFactors(rowCount: number, width: number): FactorMatrix {
  return { rowCount, width, data: sharedFloat32(rowCount * width) };
}

/**
 * Initial vectors: independent normal entries of the given standard deviation, by Box–Muller from `random`
 * (uniform in [0, 1)). For starting points and synthetic data only: such normals are no noise for a release.
 */
export function randomFactors(
  rowCount: number,
  width: number,
  stdDev: number,
  random: () => number,
): FactorMatrix {
  const factors = zeroFactors(rowCount, width);
  const { data } = factors;
  for (let k = 0; k < data.length; k += 2) {
    const radius = stdDev * Math.sqrt(-2 * Math.log(1 - random()));
    const angle = 2 * Math.PI * random();
    data[k] = radius * Math.cos(angle);
    if (k + 1 < data.length) data[k + 1] = radius * Math.sin(angle);
  }
  return factors;
}
