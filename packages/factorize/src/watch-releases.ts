import { type NoiseLayout, type ReleaseRecorder, wrapRecorder } from '@hushrec/privacy';

/** One part of a release as the world gets it: exact values are not among it. */
export interface ReleasedPart {
  readonly release: string;
  readonly part: number;
  /** Standard deviation (or scale) of the noise on a coordinate. */
  readonly noise: number;
  /** Valid while it is shown: its memory may be used again. */
  readonly values: Float64Array;
  readonly layout: NoiseLayout;
}

/**
 * The same recorder; every sum that leaves it is shown to `watch` as well. Post-processing, so it costs
 * nothing.
 */
export function watchReleases(
  recorder: ReleaseRecorder,
  watch: (released: ReleasedPart) => void,
): ReleaseRecorder {
  return wrapRecorder(recorder, (open, name) => ({
    add: async (part, statistic, gridStep, layout, options) => {
      const values = await open.add(part, statistic, gridStep, layout, options);
      watch({ release: name, part, noise: open.noise, values, layout: layout ?? { kind: 'vector' } });
      return values;
    },
  }));
}
