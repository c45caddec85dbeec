import { countNoise, headNoise, type PlannedData } from './forecast.js';
import type { ReferenceRun } from './reference-run.js';

/** What to expect, read off data sets on which it was measured. */
export interface QualityRange {
  /**
   * Part of the way from the bestseller list (or one average for everything) to no privacy; below 0 it is
   * worse than these.
   */
  readonly low: number;
  readonly high: number;
  /** The data sets it was read off. */
  readonly from: readonly string[];
}

/** So many of the data sets of nearest size are used. */
const nearest = 4;
/**
 * What is added on either side. Data sets differ by more than their size: with this much, four in five of the
 * points of the reference runs fall within what the other data sets forecast (a test counts them).
 */
const slack = { likes: 0.2, ratings: 0.12 } as const;
/** Where a model without privacy gains less than this part over the start, there is no way to be part of. */
const leastGain = { likes: 0.25, ratings: 0.1 } as const;

/**
 * What the data sets that are nearest in people, items and ratings a person reached at the same noise over
 * signal, in the worst of their runs and in the best, which is read off between their points. Not a bound: a
 * data set of another kind may fall outside.
 *
 * @param head noise over signal of the most counted tenth
 * @param runs `referenceRuns`; leave out those of the data set itself to ask what would have been forecast
 */
export function qualityRange(
  data: Pick<PlannedData, 'feedback' | 'people' | 'items' | 'ratingsPerPerson'>,
  head: number,
  runs: readonly ReferenceRun[],
): QualityRange {
  const used = runs
    .filter((run) => run.feedback === data.feedback && hasWay(run))
    .sort((a, b) => differenceInSize(a, data) - differenceInSize(b, data))
    .slice(0, nearest);
  const ways = used.flatMap((run) => wayAt(run, head));
  // Where none of them was ever seen with so little noise, it may be up to no loss at all.
  const isQuieter = used.every((run) => Math.log(head) < curveOf(run)[0].noise);
  return {
    low: Math.min(...ways) - slack[data.feedback],
    high: isQuieter ? 1 : Math.min(1, Math.max(...ways) + slack[data.feedback]),
    from: used.map(({ name }) => name),
  };
}

/** Whether there is a way from the start to no privacy that is long enough to be part of. */
export function hasWay({ baseline, withoutPrivacy, feedback }: ReferenceRun): boolean {
  return Math.abs(withoutPrivacy - baseline) >= leastGain[feedback] * baseline;
}

/**
 * 0 for the bestseller list (or one average for everything), 1 for the best that is known without privacy.
 */
export function partOfTheWay(
  { baseline, withoutPrivacy, points, metric }: ReferenceRun,
  quality: number,
): number {
  // A private model of next to no noise is one without privacy too, and may be the better one.
  const all = [withoutPrivacy, ...points.map((point) => point.quality)];
  const best = metric === 'rmse' ? Math.min(...all) : Math.max(...all);
  return (quality - baseline) / (best - baseline);
}

type Size = Pick<PlannedData, 'people' | 'items' | 'ratingsPerPerson'>;

function differenceInSize(a: Size, b: Size): number {
  return Math.hypot(
    Math.log(a.people / b.people),
    Math.log(a.items / b.items),
    Math.log(a.ratingsPerPerson / b.ratingsPerPerson),
  );
}

/** A point of a reference run: the worst and the best of its runs. */
interface CurvePoint {
  readonly noise: number;
  readonly ways: readonly [number, number];
}

const curves = new WeakMap<ReferenceRun, readonly CurvePoint[]>();

/** Parts of the way against the logarithm of noise over signal in the head, from little noise to much. */
function curveOf(run: ReferenceRun) {
  const known = curves.get(run);
  if (known !== undefined) return known;
  const noiseOf = (epsilon: number) => countNoise(run.feedback, epsilon, run.delta);
  const perNoise = headNoise({ ...run, shape: run }, 1, run.delta) / noiseOf(1);
  const curve = run.points
    .map(({ epsilon, quality, low = quality, high = quality }) => ({
      noise: Math.log(perNoise * noiseOf(epsilon)),
      ways: [partOfTheWay(run, low), partOfTheWay(run, high)].sort((a, b) => a - b) as [number, number],
    }))
    .sort((a, b) => a.noise - b.noise);
  curves.set(run, curve);
  return curve;
}

/** Between two points in proportion; beyond the last ones, as there. */
function wayAt(run: ReferenceRun, head: number): readonly [number, number] {
  const curve = curveOf(run);
  const noise = Math.log(head);
  const after = curve.findIndex((point) => point.noise >= noise);
  if (after === 0) return curve[0].ways;
  if (after < 0) return curve.at(-1)!.ways;
  const [a, b] = [curve[after - 1], curve[after]];
  const part = (noise - a.noise) / (b.noise - a.noise);
  const between = (end: 0 | 1) => a.ways[end] + (b.ways[end] - a.ways[end]) * part;
  return [between(0), between(1)];
}
