import { readMetric } from '@hushrec/evaluate';
import type { Finding } from './experiment.js';

/** A mean over runs with its standard error, which one run does not have. */
export interface Average {
  readonly mean: number;
  readonly error: number;
  readonly runs: number;
}

/**
 * 1 where a larger value is better and −1 where a smaller one is, as the metric itself says; `HR@10` is
 * `hr@10`.
 *
 * @throws MetricError where there is no such metric
 */
export function signOf(metric: string): 1 | -1 {
  return readMetric(metric.toLowerCase()).metric.better === 'larger' ? 1 : -1;
}

/** Mean and standard error over runs of one thing. */
export function averageOf(values: readonly number[]): Average {
  const runs = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / runs;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, runs, error: runs < 2 ? Number.NaN : Math.sqrt(squares / (runs - 1) / runs) };
}

/**
 * The same for runs that belong together one by one (the same fold, the same seed): the standard error is
 * that of their differences.
 */
export function aheadByPairs(
  what: string,
  better: readonly number[],
  worse: readonly number[],
  metric: string,
  note?: string,
): Finding {
  const difference = averageOf(better.map((value, at) => value - worse[at]));
  const finding = ahead(what, difference, { mean: 0, error: 0, runs: 1 }, metric);
  const means = `${averageOf(better).mean.toFixed(4)} against ${averageOf(worse).mean.toFixed(4)}, ${better.length === 1 ? '1 run' : `${better.length} pairs of runs`}`;
  return { ...finding, note: note === undefined ? means : `${means}; ${note}` };
}

/** A mean with its standard error, where it has one. */
export function shown({ mean, error, runs }: Average, digits = 4): string {
  return mean.toFixed(digits) + (runs < 2 ? '' : ` ± ${error.toFixed(digits)}`);
}

/**
 * Whether `better` is ahead of `worse` as a paper says. Beyond two standard errors of the difference it holds
 * or does not hold; within them it is a tie. Where nothing was run twice there is no error, and the sign
 * decides.
 */
export function ahead(
  what: string,
  better: Average,
  worse: Average,
  metric: string,
  more: { readonly published?: number; readonly note?: string } = {},
): Finding {
  const gain = signOf(metric) * (better.mean - worse.mean);
  const single = better.runs < 2 && worse.runs < 2;
  const error = Math.hypot(better.runs < 2 ? 0 : better.error, worse.runs < 2 ? 0 : worse.error);
  const isTie = !single && Math.abs(gain) <= 2 * error;
  const runs = `${Math.max(better.runs, worse.runs)} ${Math.max(better.runs, worse.runs) === 1 ? 'run' : 'runs'}`;
  const means = `${better.mean.toFixed(4)} against ${worse.mean.toFixed(4)}, ${runs}`;
  return {
    what: `${what} (gain in ${metric})`,
    ...(more.published !== undefined && { published: more.published }),
    measured: gain,
    ...(!single && { error }),
    holds: isTie ? 'tie' : gain > 0,
    note: more.note === undefined ? means : `${means}; ${more.note}`,
  };
}
