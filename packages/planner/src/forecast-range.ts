import { knownCatalogues, type Verdict, verdictBounds } from '@hushrec/model/usefulness';
import type { DeltaInput, EpsilonInput } from '@hushrec/privacy';
import {
  countNoise,
  epsilonNeeded,
  type Forecast,
  forecastNoise,
  headNoise,
  isForAll,
  type PlannedData,
  peopleNeeded,
} from './forecast.js';
import { countsWithin } from './known-counts.js';
import { type QualityRange, qualityRange } from './quality-range.js';
import type { ReferenceRun } from './reference-run.js';

export interface Range {
  readonly low: number;
  readonly high: number;
}

/**
 * What a forecast rests on: counts that an earlier model released, a shape that was given, or the shapes of
 * known catalogues, one of which yours may be like.
 */
export type ForecastBasis = 'released counts' | 'given shape' | 'known catalogues';

/** A forecast with what is open in it. */
export interface ForecastRange {
  readonly basis: ForecastBasis;
  /** The least and the most that it may be; never worth it where quality may be worse than its start. */
  readonly verdicts: readonly [Verdict, Verdict];
  /** For a usual catalogue, or by what is known of this one. */
  readonly middle: Forecast;
  readonly shareAboveNoise: Range;
  readonly head: Range;
  readonly tail: Range;
  readonly peopleNeeded: Range;
  readonly epsilonNeeded: Range;
  /** At the middle: how data sets differ is in its range already. */
  readonly quality: QualityRange;
}

/**
 * Before any rating is read it is not known how unevenly a catalogue is used, and much depends on it: without
 * anything better, what would be seen in each of the known catalogues. Counts that were released say it but
 * for their noise.
 */
export function forecastRange(
  data: PlannedData,
  epsilon: EpsilonInput,
  delta: DeltaInput,
  runs: readonly ReferenceRun[],
): ForecastRange {
  const basis = basisOf(data);
  const worthIt = worthItBelow(data, runs);
  const quality = isForAll(data, epsilon, delta)
    ? ofBestsellers
    : qualityRange(data, headNoise(data, epsilon, delta), runs);
  const isNoWorse = quality.low >= 0;
  const all = [data, ...whatItMayBe(data, basis)].map((each) => ({
    forecast: capped(forecastNoise(each, epsilon, delta), isNoWorse ? worthIt : 0),
    people: peopleNeeded(each, epsilon, delta, worthIt),
    epsilon: epsilonNeeded(each, epsilon, delta, worthIt),
  }));
  const middle = all[0].forecast;
  const verdicts = all.map(({ forecast }) => order.indexOf(forecast.verdict));
  const over = (of: (each: (typeof all)[number]) => number): Range => ({
    low: Math.min(...all.map(of)),
    high: Math.max(...all.map(of)),
  });
  const head = over(({ forecast }) => forecast.counts.head);
  return {
    basis,
    verdicts: [order[Math.min(...verdicts)], order[Math.max(...verdicts)]],
    middle,
    shareAboveNoise: byATenth(over(({ forecast }) => forecast.shareAboveNoise)),
    head,
    tail: over(({ forecast }) => forecast.counts.tail),
    peopleNeeded: over(({ people }) => people),
    epsilonNeeded: over((each) => each.epsilon),
    quality,
  };
}

/** The same list for everyone is the bestseller list. */
const ofBestsellers: QualityRange = { low: 0, high: 0, from: [] };

/** From the least to the most. */
const order: readonly Verdict[] = ['too-noisy', 'same-for-all', 'weak', 'worth-it'];

/**
 * Most noise over signal in the head that is worth it: as models are judged, and with which the data sets of
 * nearest size were no worse than bestsellers (or one average for everything), slack included.
 */
export function worthItBelow(data: PlannedData, runs: readonly ReferenceRun[]): number {
  const isNoWorse = (head: number) => qualityRange(data, head, runs).low >= 0;
  let [low, high] = [1e-3, verdictBounds.counts.worthIt as number];
  if (isNoWorse(high)) return high;
  while (high / low > 1.001) {
    const head = Math.sqrt(low * high);
    if (isNoWorse(head)) low = head;
    else high = head;
  }
  return low;
}

/** Worth it no more than that allows. */
function capped(forecast: Forecast, worthIt: number): Forecast {
  return forecast.verdict === 'worth-it' && forecast.counts.head > worthIt
    ? { ...forecast, verdict: 'weak' }
    : forecast;
}

/** A forecast of a known shape is itself within a tenth (`privacy-plan.test.ts`). */
function byATenth({ low, high }: Range): Range {
  return low === high ? { low, high } : { low: 0.9 * low, high: Math.min(1, 1.1 * high) };
}

/** The range of quality alone, at several ε: for a curve. */
export function qualityOverEpsilon(
  data: PlannedData,
  epsilons: readonly number[],
  delta: DeltaInput,
  runs: readonly ReferenceRun[],
): QualityRange[] {
  // Noise over signal goes with the noise.
  const perNoise = headNoise(data, 1, delta) / countNoise(data.feedback, 1, delta);
  return epsilons.map((epsilon) =>
    isForAll(data, epsilon, delta)
      ? ofBestsellers
      : qualityRange(data, perNoise * countNoise(data.feedback, epsilon, delta), runs),
  );
}

function whatItMayBe(data: PlannedData, basis: ForecastBasis): PlannedData[] {
  switch (basis) {
    case 'released counts':
      return countsWithin(data.counts!).map((counts) => ({ ...data, counts }));
    case 'given shape':
      return [];
    case 'known catalogues':
      return knownCatalogues.map((shape) => ({ ...data, shape }));
    default:
      return basis satisfies never;
  }
}

function basisOf({ counts, shape }: PlannedData): ForecastBasis {
  if (counts !== undefined) return 'released counts';
  return shape === undefined ? 'known catalogues' : 'given shape';
}
