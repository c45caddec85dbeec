import type { SweepCell } from './sweep.js';

/** Mean and spread of one metric over the runs of one method at one ε. */
export interface SweepRow {
  readonly method: string;
  readonly unit: string;
  /** The true one. */
  readonly epsilon: number | null;
  readonly delta: number;
  readonly metric: string;
  readonly mean: number;
  /** Standard deviation over runs (n − 1); 0 for a single run. */
  readonly sd: number;
  readonly runs: number;
  /** Mean training time. */
  readonly seconds: number;
}

/** Rows in the order in which methods and ε first occur. */
export function sweepRows(cells: readonly SweepCell[], metrics?: readonly string[]): SweepRow[] {
  const groups = new Map<string, SweepCell[]>();
  for (const cell of cells) {
    const name = `${cell.method} ${cell.nominalEpsilon}`;
    groups.set(name, [...(groups.get(name) ?? []), cell]);
  }
  return [...groups.values()].flatMap((group) => {
    const { method, unit, epsilon, delta } = group[0];
    const names = metrics ?? Object.keys(group[0].metrics);
    const seconds = mean(group.map((cell) => cell.seconds));
    return names
      .filter((metric) => group.every((cell) => metric in cell.metrics))
      .map((metric) => {
        const values = group.map((cell) => cell.metrics[metric]);
        return {
          method,
          unit,
          epsilon,
          delta,
          metric,
          mean: mean(values),
          sd: sd(values),
          runs: values.length,
          seconds,
        };
      });
  });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function sd(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const centre = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1));
}
