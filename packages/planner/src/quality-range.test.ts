import { expect, it } from 'vitest';
import { forecastNoise } from './forecast.js';
import { hasWay, partOfTheWay, qualityRange } from './quality-range.js';
import type { ReferenceRun } from './reference-run.js';
import { referenceRuns } from './reference-runs.js';

/** A reference run as the planner sees it. */
const forecastOf = (run: ReferenceRun, epsilon: number) =>
  forecastNoise({ ...run, shape: run }, epsilon, run.delta);

const slack = { likes: 0.2, ratings: 0.12 };

it.each(['likes', 'ratings'] as const)('reads what was measured off a data set itself: %s', (kind) => {
  const run = referenceRuns.filter(hasWay).find(({ feedback }) => feedback === kind)!;
  const points = [...run.points].sort((a, b) => a.epsilon - b.epsilon);
  expect(points.length).toBeGreaterThan(2);
  for (const [at, { epsilon, quality, low: least = quality, high: most = quality }] of points.entries()) {
    const { low, high, from } = qualityRange(run, forecastOf(run, epsilon).counts.head, [run]);
    const ways = [least, most].map((each) => partOfTheWay(run, each));
    expect(from).toEqual([run.name]);
    expect(low).toBeCloseTo(Math.min(...ways) - slack[kind], 6);
    // Where there was never less noise, it may be up to no loss at all.
    if (at < points.length - 1) expect(high).toBeCloseTo(Math.min(1, Math.max(...ways) + slack[kind]), 6);
  }
});

it('lies between two points where the noise does', () => {
  const run = referenceRuns.filter(hasWay).find(({ feedback }) => feedback === 'likes')!;
  const [one, other] = [...run.points].sort((a, b) => a.epsilon - b.epsilon);
  const { low } = qualityRange(run, forecastOf(run, Math.sqrt(one!.epsilon * other!.epsilon)).counts.head, [
    run,
  ]);
  const ways = [one!, other!].map(({ quality, low: least = quality }) => partOfTheWay(run, least));
  expect(low).toBeGreaterThan(Math.min(...ways) - slack.likes);
  expect(low).toBeLessThan(Math.max(...ways) - slack.likes);
});

it('goes from the worst run to the best where there were several', () => {
  const [run] = referenceRuns.filter(hasWay);
  const several = {
    ...run,
    runs: 3,
    points: run.points.map((point) => ({ ...point, low: 0.95 * point.quality, high: 1.05 * point.quality })),
  };
  const { epsilon } = run.points[2];
  const [once, more] = [run, several].map((each) =>
    qualityRange(each, forecastOf(each, epsilon).counts.head, [each]),
  );
  expect(more.low).toBeLessThan(once.low);
  expect(more.high).toBeGreaterThan(once.high);
});
