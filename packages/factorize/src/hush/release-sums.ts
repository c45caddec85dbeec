import type { ReleaseRecorder } from '@hushrec/privacy';
import type { GridSums } from '@hushrec/statistics';

/** A released statistic and the standard deviation of the noise on each of its coordinates. */
export interface ReleasedSums {
  readonly value: Float64Array;
  readonly noise: number;
}

/**
 * One planned release from beginning to end. `symmetricWidth` > 0 says that the sums are the packed upper
 * triangle of a symmetric matrix of that width, whose sensitivity is a Frobenius norm.
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

/** Two releases of the same sums, or of nearly the same, as one: by inverse variance of their noise. */
export function together(one: ReleasedSums, other: ReleasedSums): ReleasedSums {
  if (one.noise === 0 || other.noise === 0) return other;
  const [own, more] = [one.noise ** -2, other.noise ** -2];
  return {
    value: one.value.map((value, at) => (own * value + more * other.value[at]) / (own + more)),
    noise: (own + more) ** -0.5,
  };
}
