import { type Forecast, forecastNoise, type PlannedData } from './forecast.js';
import type { ReferenceRun } from './reference-run.js';

/** What to expect, read off data sets on which it was measured. */
export interface QualityRange {
  /** Part of the way from the bestseller list (or one average for everything) to no privacy; below 0 it is worse than these. */
  readonly low: number;
  readonly high: number;
  /** The data sets it was read off. */
  readonly from: readonly string[];
}

/** A run is near where its noise over signal is within this factor; so many of the nearest are always used. */
const near = 2;
const atLeast = 4;
/** What one run differs from the next by, on either side. */
const slack = 0.1;

/**
 * The range of what reference runs reached whose head had about this noise over signal; where none had as little noise, up to no loss at all. Not a bound: a data set of another kind may fall outside.
 *
 * @param runs `referenceRuns`
 */
export function qualityRange(
  { feedback }: Pick<PlannedData, 'feedback'>,
  { counts }: Pick<Forecast, 'counts'>,
  runs: readonly ReferenceRun[],
): QualityRange {
  const points = runs
    .filter((run) => run.feedback === feedback)
    .flatMap((run) =>
      run.points.map(({ epsilon, quality }) => {
        const { head } = forecastOf(run, epsilon).counts;
        return {
          name: run.name,
          way: partOfTheWay(run, quality),
          head,
          distance: Math.abs(Math.log(head / counts.head)),
        };
      }),
    )
    .sort((a, b) => a.distance - b.distance);
  const used = points.filter(({ distance }, place) => place < atLeast || distance <= Math.log(near));
  const ways = used.map(({ way }) => way);
  const isLeast = points.every(({ head }) => head > counts.head);
  return {
    low: Math.min(...ways) - slack,
    high: Math.max(...ways, isLeast ? 1 - slack : -Infinity) + slack,
    from: [...new Set(used.map(({ name }) => name))],
  };
}

/** 0 for the bestseller list (or one average for everything), 1 for no privacy. */
export function partOfTheWay(
  { baseline, withoutPrivacy }: Pick<ReferenceRun, 'baseline' | 'withoutPrivacy'>,
  quality: number,
): number {
  return (quality - baseline) / (withoutPrivacy - baseline);
}

/** A reference run as the planner sees it. */
export function forecastOf(run: ReferenceRun, epsilon: number): Forecast {
  return forecastNoise({ ...run, shape: run }, epsilon, run.delta);
}
