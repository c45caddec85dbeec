import { type Crossing, type CrossingPoint, crossingNear, meanDifference, slopeOver } from './crossing.js';
import type { FoldRunner } from './fold-runner.js';

export interface CrossingSearch {
  readonly method: string;
  readonly settings: Readonly<Record<string, number | string | boolean>>;
  /** Baseline RMSE by fold. */
  readonly baseline: readonly number[];
  readonly runs: number;
  readonly folds: readonly number[];
  /** Folds, one run each, on which the neighbourhood of the crossing is found. */
  readonly scouts: number;
  /** Where the search begins; the result does not depend on it. */
  readonly start: number;
  /** Range of ε that is searched. */
  readonly least: number;
  readonly most: number;
}

export interface FoundCrossing extends Crossing {
  /** What was measured on all folds with all runs. */
  readonly points: readonly CrossingPoint[];
  /** Mean RMSE minus baseline at the largest ε tried. */
  readonly lastDifference: number;
}

const fineEnough = 1.25;
const wide = 1.7;
const nearEnough = 1.06;
const mostPoints = 5;

/**
 * The ε at which a method reaches a baseline. Doubling from `start` and then bisection in log ε, on a few
 * folds, give a bracket with ends within 1.25 of each other, and the slope around it; then all folds and runs
 * are measured at the crossing they suggest, and `crossingNear` reads it off. Where that is further than 1.06
 * away, they are measured there too.
 */
export async function findCrossing(
  runner: Pick<FoldRunner, 'errors'>,
  search: CrossingSearch,
  random: () => number,
): Promise<FoundCrossing> {
  const { method, settings, baseline, least, most } = search;
  const measure = async (epsilon: number, folds: readonly number[], runs: number): Promise<CrossingPoint> => {
    const errors = await runner.errors({ method, settings, epsilon, folds, runs });
    const differences = folds.map((fold) =>
      errors.filter((error) => error.fold === fold).map(({ rmse }) => rmse - baseline[fold]),
    );
    return { epsilon, differences };
  };
  const scouts: CrossingPoint[] = [];
  const [above, below] = await bracket(async (epsilon) => {
    const point = await measure(epsilon, search.folds.slice(0, search.scouts), 1);
    scouts.push(point);
    return point;
  }, search);
  if (above === null) throw new RangeError(`The baseline is reached below ε = ${least}. Search from less.`);
  if (below === null) {
    const last = await measure(most, search.folds, search.runs);
    const lastDifference = meanDifference(last);
    return {
      epsilon: lastDifference > 0 ? null : most,
      low: null,
      high: null,
      points: [last],
      lastDifference,
    };
  }

  let slope = slopeOver([above, below]);
  let epsilon = crossingNear(above, slope, random).epsilon!;
  const wider = slopeOver(
    scouts.filter((each) => Math.abs(Math.log(each.epsilon / epsilon)) < Math.log(wide)),
  );
  if (wider < 0) slope = wider;
  const points: CrossingPoint[] = [];
  for (;;) {
    const point = await measure(epsilon, search.folds, search.runs);
    points.push(point);
    if (points.length > 1 && slopeOver(points) < 0) slope = slopeOver(points);
    const found = crossingNear(point, slope, random);
    const near = Math.abs(Math.log(found.epsilon! / epsilon)) <= Math.log(nearEnough);
    if (near || points.length === mostPoints) {
      const last = points.reduce((most, each) => (each.epsilon > most.epsilon ? each : most));
      return { ...found, points, lastDifference: meanDifference(last) };
    }
    // A flat curve suggests far steps, beyond where its slope was measured.
    epsilon = Math.min(most, epsilon * 1.5, Math.max(least, epsilon / 1.5, found.epsilon!));
  }
}

/** The last point above and the first below the baseline, `null` where the range ends before. */
async function bracket(
  scout: (epsilon: number) => Promise<CrossingPoint>,
  { start, least, most }: CrossingSearch,
): Promise<[above: CrossingPoint | null, below: CrossingPoint | null]> {
  let above: CrossingPoint | null = null;
  let below: CrossingPoint | null = null;
  let epsilon = Math.min(most, Math.max(least, start));
  for (;;) {
    const point = await scout(epsilon);
    if (meanDifference(point) > 0) above = point;
    else below = point;
    if (above !== null && below !== null) {
      if (below.epsilon / above.epsilon <= fineEnough) return [above, below];
      epsilon = Math.sqrt(above.epsilon * below.epsilon);
    } else if (above !== null) {
      if (epsilon === most) return [above, null];
      epsilon = Math.min(most, 2 * epsilon);
    } else {
      if (epsilon === least) return [null, below];
      epsilon = Math.max(least, epsilon / 2);
    }
  }
}
