import type { ReleaseRecorder } from '@hushrec/privacy';
import type { GridSums } from '@hushrec/statistics';

/** A released statistic and the standard deviation of the noise on each of its coordinates. */
export interface ReleasedSums {
  readonly value: Float64Array;
  readonly noise: number;
}

/**
 * One planned release from beginning to end. `symmetricWidth` > 0 says that the sums are the packed upper triangle of a
 * symmetric matrix of that width, whose sensitivity is a Frobenius norm.
 */
export async function releaseSums(
  recorder: ReleaseRecorder,
  name: string,
  sums: GridSums,
  symmetricWidth = 0,
): Promise<ReleasedSums> {
  const open = recorder.begin(name);
  const layout =
    symmetricWidth > 0
      ? ({ kind: 'symmetric', width: symmetricWidth } as const)
      : ({ kind: 'vector' } as const);
  const value = await open.add(0, sums.statistic, sums.gridStep, layout);
  open.close();
  return { value, noise: open.noise };
}
