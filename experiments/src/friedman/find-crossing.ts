import { type Crossing, type CrossingPoint, crossingOf, mean } from './crossing.js';
import type { FoldErrors, FoldRunner } from './fold-runner.js';

export interface CrossingSearch {
  readonly method: string;
  readonly settings: Readonly<Record<string, number | string | boolean>>;
  /** Baseline RMSE by fold. */
  readonly baseline: readonly number[];
  readonly runs: number;
  readonly folds: readonly number[];
  /** Range of ε that is searched. */
  readonly least: number;
  readonly most: number;
}

export interface FoundCrossing extends Crossing {
  readonly points: readonly CrossingPoint[];
  /** Mean RMSE minus baseline at the largest ε tried. */
  readonly lastDifference: number;
}

const ratio = 1.2;

/**
 * The ε at which a method reaches a baseline. Bisection in log ε on one fold finds the neighbourhood; then all folds and
 * runs are measured at ε/1.2, ε, 1.2ε there, moving on while the crossing is not between them, and `crossingOf` reads it off.
 */
export async function findCrossing(
  runner: FoldRunner,
  search: CrossingSearch,
  random: () => number,
): Promise<FoundCrossing> {
  const { method, settings, baseline } = search;
  const differences = (errors: FoldErrors) => errors.map(({ fold, rmse }) => rmse - baseline[fold]!);
  const measure = async (
    epsilon: number,
    folds: readonly number[],
    runs: number,
  ): Promise<CrossingPoint> => ({
    epsilon,
    differences: differences(await runner.errors({ method, settings, epsilon, folds, runs })),
  });

  let low = search.least;
  let high = search.most;
  while (high / low > 1.5) {
    const middle = Math.sqrt(low * high);
    const point = await measure(middle, search.folds.slice(0, 1), 1);
    if (mean(point.differences) > 0) low = middle;
    else high = middle;
  }
  const points: CrossingPoint[] = [];
  if (high === search.most) {
    // Not even the largest ε does it on one fold: measure there on all of them and say so.
    const last = await measure(search.most, search.folds, search.runs);
    if (mean(last.differences) > 0) {
      const lastDifference = mean(last.differences);
      return { epsilon: null, low: null, high: null, points: [last], lastDifference };
    }
  }
  const centre = Math.sqrt(low * high);
  for (const epsilon of [centre / ratio, centre, centre * ratio])
    points.push(await measure(epsilon, search.folds, search.runs));
  for (let step = 0; step < 6; step++) {
    points.sort((a, b) => a.epsilon - b.epsilon);
    const first = points[0]!;
    const last = points[points.length - 1]!;
    if (mean(first.differences) <= 0 && first.epsilon > search.least)
      points.push(await measure(first.epsilon / ratio, search.folds, search.runs));
    else if (mean(last.differences) > 0 && last.epsilon < search.most)
      points.push(await measure(last.epsilon * ratio, search.folds, search.runs));
    else break;
  }
  points.sort((a, b) => a.epsilon - b.epsilon);
  return {
    ...crossingOf(points, random),
    points,
    lastDifference: mean(points[points.length - 1]!.differences),
  };
}
