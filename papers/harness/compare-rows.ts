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
  const means = `${averageOf(better).mean.toFixed(4)} against ${averageOf(worse).mean.toFixed(4)}, ${better.length === 1 ? '1 pair' : `${better.length} pairs`} of runs, ${testText(finding)}`;
  return { ...finding, note: note === undefined ? means : `${means}; ${note}` };
}

/** A mean with its standard error, where it has one. */
export function shown({ mean, error, runs }: Average, digits = 4): string {
  return mean.toFixed(digits) + (runs < 2 ? '' : ` ± ${error.toFixed(digits)}`);
}

/** A standard error and the degrees of freedom it was estimated with. */
export interface Spread {
  readonly error: number;
  readonly degrees: number;
}

/** That of a mean over runs; none of one run, which is taken as it is. */
export function spreadOf({ error, runs }: Average): Spread[] {
  return runs < 2 ? [] : [{ error, degrees: runs - 1 }];
}

/** That of a difference that was tested. */
export function spreadOfFinding({ error, test }: Finding): Spread[] {
  return error === undefined || test === undefined ? [] : [{ error, degrees: test.degrees }];
}

/** Chance of error up to which a difference is called one. */
const significance = 0.05;

/**
 * Whether a difference is above 0, below 0 or a tie: Welch's two-sided t test at 5 %, with the degrees of
 * freedom by Welch and Satterthwaite, e⁴/Σ(e_i⁴/ν_i) for e² = Σe_i². Where nothing was run twice nothing can
 * be tested, and the difference is only reported.
 */
export function testOf(
  difference: number,
  spreads: readonly Spread[],
): Pick<Finding, 'error' | 'test' | 'holds'> {
  if (spreads.length === 0 || !Number.isFinite(difference)) return { holds: null };
  const error = Math.hypot(...spreads.map((each) => each.error));
  const fourth = spreads.reduce((sum, each) => sum + each.error ** 4 / each.degrees, 0);
  const degrees = fourth > 0 ? error ** 4 / fourth : Math.min(...spreads.map((each) => each.degrees));
  const p = difference === 0 ? 1 : studentTail(Math.abs(difference) / error, degrees);
  return { error, test: { degrees, p }, holds: p > significance ? 'tie' : difference > 0 };
}

/** “t test, 7.3 degrees of freedom, p = 0.012”. */
export function testText({ test }: { readonly test?: Finding['test'] | undefined }): string {
  if (test === undefined) return 'run once: reported only';
  const p = test.p < 1e-4 ? 'p < 0.0001' : `p = ${Number(test.p.toPrecision(2))}`;
  return `t test, ${Number(test.degrees.toPrecision(2))} degrees of freedom, ${p}`;
}

/**
 * Chance that |T| ≥ t for Student's T with ν degrees of freedom: I_x(ν/2, 1/2) at x = ν/(ν + t²), the
 * integral of x^(a−1)(1−x)^(b−1) over its whole. With x = cos²φ that is the integral of cos^(ν−1) from
 * φ = atan(t/√ν) to π/2 over that from 0, by Simpson's rule in ψ, φ = π/2 − ψ², which is smooth for ν ≥ 1.
 */
export function studentTail(t: number, degrees: number): number {
  const part = (from: number) => {
    const [steps, end] = [2000, Math.sqrt(Math.PI / 2 - from)];
    let sum = 0;
    for (let k = 0; k <= steps; k++) {
      const psi = (end * k) / steps;
      const weight = k === 0 || k === steps ? 1 : k % 2 === 1 ? 4 : 2;
      sum += weight * 2 * psi * Math.sin(psi * psi) ** (degrees - 1);
    }
    return (sum * end) / steps / 3;
  };
  return part(Math.atan(t / Math.sqrt(degrees))) / part(0);
}

/**
 * Whether `better` is ahead of `worse` as a paper says: it holds, does not hold, or is a tie by `testOf`. One
 * of them may be run once where noise does not enter it (a method without privacy).
 */
export function ahead(
  what: string,
  better: Average,
  worse: Average,
  metric: string,
  more: { readonly published?: number; readonly note?: string } = {},
): Finding {
  const gain = signOf(metric) * (better.mean - worse.mean);
  const tested = testOf(gain, [...spreadOf(better), ...spreadOf(worse)]);
  const most = Math.max(better.runs, worse.runs);
  const means = `${better.mean.toFixed(4)} against ${worse.mean.toFixed(4)}, ${most} ${most === 1 ? 'run' : 'runs'}, ${testText(tested)}`;
  return {
    what: `${what} (gain in ${metric})`,
    ...(more.published !== undefined && { published: more.published }),
    measured: gain,
    ...tested,
    note: more.note === undefined ? means : `${means}; ${more.note}`,
  };
}
