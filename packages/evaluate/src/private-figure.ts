import {
  type CalibratedPlan,
  calibrate,
  createRecorder,
  muFor,
  RunSecret,
  sensitive,
} from '@hushrec/privacy';
import type { RatingScale } from '@hushrec/ratings';
import { type AskedMetric, askedName } from './metrics/metric.js';
import type { PerUserMetric } from './metrics/per-user.js';

/** A figure as it can be released: the mean over people of a part of 1 each. */
export interface ReleasableFigure {
  readonly name: string;
  /** What counts as 1 of a person's own figure; more is clipped. */
  readonly clip: number;
  /** The figure as it is shown, of a mean of parts. */
  readonly shown: (mean: number) => number;
  /** A mean of parts that is usual, by which intervals are judged beforehand. */
  readonly usual: number;
}

/**
 * A metric of lists is in [0, 1] for each person. Of predictions it is RMSE by people: the root of the mean
 * over people of their own mean square, clipped to the square of half the scale. Undefined for others.
 */
export function releasableFigure(
  asked: AskedMetric,
  { min, max }: RatingScale,
): ReleasableFigure | undefined {
  const name = askedName(asked);
  if (asked.metric.needs === 'ranks') return { name, clip: 1, shown: (mean) => mean, usual: 0.1 };
  if (asked.metric.name !== 'rmse') return undefined;
  const clip = ((max - min) / 2) ** 2;
  return { name, clip, shown: (mean) => Math.sqrt(mean * clip), usual: 0.25 };
}

const line = 'figure-and-people';

/**
 * One release of two numbers: the sum of people's parts of 1, and how many people it is of. Adding or
 * removing a person, who is in no other's figure, moves them by (part, 1) at most: √2 in length.
 */
export function planOfFigure(
  name: string,
  target: { readonly epsilon: number; readonly delta: number },
): CalibratedPlan {
  return calibrate(
    {
      unit: 'user',
      relation: 'add-remove',
      released: `the sum of people's ${name}, and how many people it is of`,
      releases: [
        { name: line, mechanism: { kind: 'gaussian' }, sensitivity: Math.SQRT2, count: 1, share: 1 },
      ],
    },
    target,
  );
}

/** Parts of 1 are whole multiples of this, rounded down: sums of them are exact. */
const gridStep = 2 ** -20;

/** The two sums in steps of the grid. Who has nothing to be measured by adds nothing. */
export function sumsOfFigure(
  { numerator, denominator }: Pick<PerUserMetric, 'numerator' | 'denominator'>,
  { clip }: Pick<ReleasableFigure, 'clip'>,
): Float64Array<ArrayBuffer> {
  let [sum, people] = [0, 0];
  for (let user = 0; user < numerator.length; user++) {
    if (!(denominator[user] > 0)) continue;
    const part = Math.min(1, Math.max(0, numerator[user] / denominator[user] / clip));
    people++;
    // Arithmetic that fails for one person counts as nothing.
    if (part > 0) sum += Math.floor(part / gridStep);
  }
  return Float64Array.of(sum, people / gridStep);
}

/** A figure with noise, and what it may be without. */
export interface PrivateFigure {
  /** Null where there are too few people for the noise. */
  readonly value: number | null;
  readonly low: number;
  readonly high: number;
  /** How many people it is of, with noise. */
  readonly people: number;
}

/**
 * Releases a figure by its plan.
 *
 * @param pay makes the charge durable; nothing is released before it resolves
 */
export async function releaseFigure(
  plan: CalibratedPlan,
  perUser: Pick<PerUserMetric, 'numerator' | 'denominator'>,
  figure: ReleasableFigure,
  { pay, secret = new RunSecret() }: { readonly pay: () => Promise<void>; readonly secret?: RunSecret },
): Promise<PrivateFigure> {
  const recorder = createRecorder(plan, { secret, beforeRelease: pay });
  const release = recorder.begin(line);
  const sums = sensitive(sumsOfFigure(perUser, figure), 'l2', Math.SQRT2);
  const [sum, people] = await release.add(0, sums, gridStep);
  release.close();
  recorder.finish();
  const { low, high } = intervalOfFigure(sum, people, release.noise);
  const isKnown = low > 0 || high < 1;
  const mean = Math.min(1, Math.max(0, sum / people));
  return {
    value: isKnown && people > 0 ? figure.shown(mean) : null,
    low: figure.shown(low),
    high: figure.shown(high),
    people: Math.max(0, Math.round(people)),
  };
}

/** Standard errors of a 95% interval. */
const z = 1.96;

/**
 * All means m that explain two released sums (Fieller 1954): (sum − m·people)² ≤ z²·V, where V is the noise
 * of sum − m·people, σ²(1 + m²), and what people as these differ by chance, at most people·m(1 − m) since
 * each part is in [0, 1]. A quadratic in m; everything from 0 to 1 where the number of people is lost in
 * noise.
 */
export function intervalOfFigure(
  sum: number,
  people: number,
  noise: number,
): { readonly low: number; readonly high: number } {
  const count = Math.max(0, people);
  const a = people ** 2 - z ** 2 * noise ** 2 + z ** 2 * count;
  const half = sum * people + (z ** 2 * count) / 2;
  const c = sum ** 2 - z ** 2 * noise ** 2;
  const root = half ** 2 - a * c;
  if (people <= z * noise || a <= 0 || root < 0) return { low: 0, high: 1 };
  const within = (mean: number) => Math.min(1, Math.max(0, mean));
  return { low: within((half - Math.sqrt(root)) / a), high: within((half + Math.sqrt(root)) / a) };
}

/** What to expect of a figure before anything is spent, by public numbers alone. */
export interface ExpectedFigure {
  readonly usual: number;
  readonly low: number;
  readonly high: number;
}

/** The interval of so many people with a usual figure; `noise` as the plan has it. */
export function expectedFigure(
  { shown, usual }: ReleasableFigure,
  people: number,
  noise: number,
): ExpectedFigure {
  const { low, high } = intervalOfFigure(usual * people, people, noise);
  return { usual: shown(usual), low: shown(low), high: shown(high) };
}

/** Whether an interval is as wide as what is usual: it then says nothing. */
export function isUseless({ usual, low, high }: ExpectedFigure): boolean {
  return high - low > usual;
}

/** The least ε, to a hundredth, with which so many people give a figure that says something; up to 20. */
export function leastEpsilonFor(figure: ReleasableFigure, people: number, delta: number): number | undefined {
  const isEnough = (hundredths: number) =>
    !isUseless(expectedFigure(figure, people, Math.SQRT2 / muFor(hundredths / 100, delta)));
  let [low, high] = [0, 2000];
  if (!isEnough(high)) return undefined;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isEnough(middle)) high = middle;
    else low = middle;
  }
  return high / 100;
}
