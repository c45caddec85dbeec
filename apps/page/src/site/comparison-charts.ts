import type { BarChart, LineChart, SpreadPoint } from '@hushrec/report';
import { metricsOf } from './model-metrics.js';
import type { ModelSummary } from './server-interface.js';

/** One line of `hushrec compare`: mean and standard deviation of a metric over repeated runs. */
export interface ComparisonRow {
  readonly method: string;
  readonly unit: string;
  /** The true ε; null where there is none. */
  readonly epsilon: number | null;
  readonly metric: string;
  readonly mean: number;
  readonly sd: number | null;
  readonly runs: number;
}

/** A metric of which less is better. */
function isError(metric: string): boolean {
  return /rmse|mae|error|mse|loss/i.test(metric);
}

function axisLabel(metric: string): string {
  return `${metric} (${isError(metric) ? 'lower' : 'higher'} is better)`;
}

/** Means of one method at one ε by popularity of the items. */
export interface SliceSeries {
  readonly name: string;
  readonly metric: string;
  readonly values: readonly (number | null)[];
}

const unitWords: Readonly<Record<string, string>> = {
  user: 'whole people protected',
  'rating-presence': 'presence of single ratings protected',
  'rating-value': 'values of single ratings protected',
};

/** What the methods of a sweep protect; an ε of one unit cannot be compared with that of another. */
export function unitsOf(rows: readonly ComparisonRow[]): string[] {
  const units = [...new Set(rows.filter(({ epsilon }) => epsilon !== null).map(({ unit }) => unit))];
  return units.length > 0 ? units : ['none'];
}

/** Quality against ε, one line per method that protects `unit`; methods without privacy are horizontal lines. */
export function sweepChart(rows: readonly ComparisonRow[], metric: string, unit: string): LineChart {
  const own = rows.filter((row) => row.metric === metric);
  const guarded = own.filter((row) => row.epsilon !== null && row.unit === unit);
  return {
    kind: 'line',
    title: unit === 'none' ? metric : `${metric} against ε, ${unitWords[unit] ?? unit}`,
    description: 'Mean over repeated runs; the band is one standard deviation to either side.',
    x: { label: 'ε (log scale)', scale: 'log' },
    y: { label: axisLabel(metric) },
    series: [...new Set(guarded.map(({ method }) => method))].map((method) => ({
      name: method,
      points: guarded
        .filter((row) => row.method === method)
        .map(
          ({ epsilon, mean, sd }): SpreadPoint => ({
            x: epsilon!,
            y: mean,
            ...(sd !== null && { low: mean - sd, high: mean + sd }),
          }),
        ),
    })),
    references: own
      .filter(({ epsilon }) => epsilon === null)
      .map(({ method, mean }) => ({ name: `${method}, no privacy`, y: mean })),
  };
}

/** Quality by popularity of the items, one bar per method and ε. */
export function sweepSlicesChart(slices: readonly SliceSeries[], metric: string): BarChart | undefined {
  return popularityChart(
    slices.filter((each) => each.metric === metric),
    metric,
  );
}

export function metricNames(models: readonly ModelSummary[]): string[] {
  return [...new Set(models.flatMap((model) => metricsOf(model).map(({ name }) => name)))];
}

/** Quality of the published models against their ε, with 95 % intervals over people. */
export function modelsChart(models: readonly ModelSummary[], metric: string): LineChart {
  const measured = models.flatMap((model) =>
    metricsOf(model)
      .filter(({ name }) => name === metric)
      .map((value) => ({ model, ...value })),
  );
  const methods = [
    ...new Set(measured.filter(({ model }) => model.epsilon !== null).map(({ model }) => model.method)),
  ];
  return {
    kind: 'line',
    title: `${metric} of the published models`,
    description: 'One point per model; the spread is a 95 % interval over people.',
    x: { label: 'ε (log scale)', scale: 'log' },
    y: { label: axisLabel(metric) },
    series: methods.map((method) => ({
      name: method,
      points: measured
        .filter(({ model }) => model.method === method && model.epsilon !== null)
        .map(({ model, value, low, high }) => ({ x: model.epsilon!, y: value, low, high })),
    })),
    references: measured
      .filter(({ model }) => model.epsilon === null)
      .map(({ model, value }) => ({ name: `${model.method}, no privacy`, y: value })),
  };
}

/** Quality by popularity of the items, one bar per model. */
export function slicesChart(models: readonly ModelSummary[], metric: string): BarChart | undefined {
  const series = models.flatMap((model) => {
    const slices = model.metrics?.['slices'];
    if (!Array.isArray(slices)) return [];
    const values = slices.map((slice) => {
      const { metrics } = (slice ?? {}) as { metrics?: Record<string, { value?: unknown }> };
      const value = metrics?.[metric]?.value;
      return typeof value === 'number' ? value : null;
    });
    return values.some((value) => value !== null) ? [{ name: model.id, values }] : [];
  });
  return popularityChart(series, metric);
}

function popularityChart(
  series: readonly { readonly name: string; readonly values: readonly (number | null)[] }[],
  metric: string,
): BarChart | undefined {
  const count = Math.max(0, ...series.map(({ values }) => values.length));
  if (count === 0) return undefined;
  return {
    kind: 'bars',
    title: `${metric} by popularity of the items`,
    description: 'Slices hold equal numbers of items, the rarest first.',
    y: { label: axisLabel(metric) },
    categoryLabel: 'items by popularity',
    categories: Array.from({ length: count }, (_, slice) =>
      slice === 0 ? 'rarest' : slice === count - 1 ? 'most popular' : String(slice + 1),
    ),
    series,
  };
}

/** Noise against signal: how many times larger the noise of each release is than what one unit can change. */
export function noiseChart(
  certificates: readonly {
    readonly model: string;
    readonly releases: readonly { name: string; sensitivity: number; noise: number }[];
  }[],
): BarChart | undefined {
  const shown = certificates.filter(({ releases }) => releases.some(({ sensitivity }) => sensitivity > 0));
  if (shown.length === 0) return undefined;
  const kindOf = (name: string) => name.replace(/-round-\d+$/, '');
  const kinds = [
    ...new Set(
      shown.flatMap(({ releases }) =>
        releases.filter(({ sensitivity }) => sensitivity > 0).map(({ name }) => kindOf(name)),
      ),
    ),
  ].slice(0, 6);
  return {
    kind: 'bars',
    title: 'Noise ÷ sensitivity by release',
    description:
      'How much larger the noise is than the most one protected unit can change; more protects more.',
    y: { label: 'noise ÷ sensitivity' },
    categoryLabel: 'kind of release',
    categories: kinds,
    series: shown.map(({ model, releases }) => ({
      name: model,
      values: kinds.map((kind) => {
        const ratios = releases
          .filter(({ name, sensitivity }) => kindOf(name) === kind && sensitivity > 0)
          .map(({ noise, sensitivity }) => noise / sensitivity);
        return ratios.length === 0 ? null : ratios.reduce((a, b) => a + b) / ratios.length;
      }),
    })),
  };
}
