import type { ReportSection } from '@hushrec/report';
import { signOf } from './compare-rows.js';
import type { Finding } from './experiment.js';
import { type Measured, nearly, rowOf } from './measure-task.js';

/** Curves with spread, a table of everything, and what was chosen on validation. */
export function frontierSections(
  heading: string,
  metric: string,
  rows: readonly Measured[],
): ReportSection[] {
  const names = [...new Set(rows.map(({ name }) => name))];
  const references = rows
    .filter(({ epsilon }) => epsilon === null)
    .map(({ name, mean }) => ({ name: `${name}, no privacy`, y: mean }));
  const figures: ReportSection = {
    heading,
    chart: {
      kind: 'line',
      title: heading,
      description: 'Mean over runs; the band is one standard error to either side.',
      x: { label: 'ε (user level)', scale: 'log' },
      y: {
        label: `${metric === 'rmse' ? 'RMSE' : metric} (${signOf(metric) < 0 ? 'lower' : 'higher'} is better)`,
      },
      series: names
        .map((name) => ({
          name,
          points: rows
            .filter((row) => row.name === name && row.epsilon !== null)
            .map(({ epsilon, mean, error }) => ({
              x: epsilon!,
              y: mean,
              low: mean - error,
              high: mean + error,
            })),
        }))
        .filter(({ points }) => points.length > 0),
      ...(references.length > 0 && { references }),
    },
    table: {
      columns: ['method', 'ε', metric, 'standard error', 'runs', 'seconds', 'tuned on validation'].map(
        (label) => ({ label }),
      ),
      rows: rows.map(({ name, epsilon, mean, error, runs, seconds, tuned }) => [
        name,
        epsilon,
        mean,
        error,
        runs,
        seconds,
        tuned === undefined ? 'no' : `${tuned.trials} trainings`,
      ]),
    },
  };
  const searched = rows.filter(({ tuned }) => tuned !== undefined);
  if (searched.length === 0) return [figures];
  const chosen: ReportSection = {
    heading: `${heading}: chosen on validation`,
    table: {
      columns: ['method', 'ε', 'settings besides the method’s own rules'],
      rows: searched.map(({ name, epsilon, tuned }) => [
        name,
        epsilon,
        Object.entries(tuned!.settings)
          .map(([setting, value]) => `${setting} ${value}`)
          .join(', ') || 'none',
      ]),
    },
  };
  return [figures, chosen];
}

/** Bars of the metric by popularity of the item at every ε; nothing where rows have no slices. */
export function sliceSections(heading: string, metric: string, rows: readonly Measured[]): ReportSection[] {
  const sliced = rows.filter(({ epsilon, slices }) => epsilon !== null && slices.length > 0);
  return [...new Set(sliced.map(({ epsilon }) => epsilon))].map((epsilon) => {
    const own = sliced.filter((row) => row.epsilon === epsilon);
    return {
      heading: `${heading}: by popularity of the item, ε = ${epsilon}`,
      chart: {
        kind: 'bars',
        title: `${metric} by popularity, ε = ${epsilon}`,
        y: { label: metric },
        categoryLabel: 'items by training count, rarest first',
        categories: own[0].slices.map((_, slice) => String(slice)),
        series: own.map(({ name, slices }) => ({
          name,
          values: slices.map(({ mean }) => (Number.isFinite(mean) ? mean : null)),
        })),
      },
    };
  });
}

/**
 * At each ε: how far `ours` is ahead of the best private other, in its metric, against two standard errors.
 */
export function leads(
  where: string,
  metric: string,
  rows: readonly Measured[],
  ours: string,
  epsilons: readonly number[],
): Finding[] {
  const sign = signOf(metric);
  return epsilons.map((epsilon) => {
    const own = rowOf(rows, ours, epsilon);
    const others = rows.filter(({ name, epsilon: at }) => !name.startsWith('hush') && nearly(epsilon, at));
    const best = others.reduce((a, b) => (sign * (b.mean - a.mean) > 0 ? b : a));
    const lead = sign * (own.mean - best.mean);
    const error = Math.hypot(own.error, best.error);
    return {
      what: `${where}, ε = ${epsilon}: ${ours}, ${metric}`,
      measured: own.mean,
      holds: lead > 2 * error,
      note: `± ${own.error.toFixed(4)} (${own.runs} runs); best other ${best.name} ${best.mean.toFixed(4)} ± ${best.error.toFixed(4)}`,
    };
  });
}
