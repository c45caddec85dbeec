import { percentWords, posteriorOf, shownEpsilon } from '@hushrec/model/words';
import { roundedUp } from '@hushrec/privacy';
import { type BarChart, formatNumber, type LineChart, type SpreadPoint, type Table } from '@hushrec/report';
import { isBaseline, referenceName } from './baselines.js';
import { mainMetrics, metricWords } from './metric-words.js';
import { metricsOf } from './model-metrics.js';
import { nearestToOne } from './nearest-to-one.js';
import { noisyBelow } from './noisy-below.js';
import { releaseWords } from './release-words.js';
import type { Comparison, ComparisonRow, ModelSummary } from './server-interface.js';

function axisLabel(metric: string): string {
  const { times, isError } = metricWords(metric);
  return `${metric}${times === 100 ? ', of 100' : ''} (${isError ? 'lower' : 'higher'} is better)`;
}

const unitWords: Readonly<Record<string, string>> = {
  user: 'whole people protected',
  'rating-presence': 'presence of single ratings protected',
  'rating-value': 'values of single ratings protected',
};

/**
 * The finding in a sentence: how much of what is possible is kept at the ε nearest to 1, and how much more
 * that is than what needs nobody's taste.
 */
export function sweepFinding({
  rows,
  metric: decides,
  withoutPrivacy,
}: Pick<Comparison, 'rows' | 'metric' | 'withoutPrivacy'>): string | undefined {
  const [metric] = mainMetrics([...new Set(rows.map((row) => row.metric))], decides);
  const of = rows.filter((row) => row.metric === metric);
  const near = nearestToOne(
    of.flatMap(({ method, epsilon }) => (method === 'hush' && epsilon !== null ? [epsilon] : [])),
  );
  const one = of.find(({ method, epsilon }) => method === 'hush' && epsilon === near);
  const open = of.filter(({ epsilon }) => epsilon === null);
  const { isError, times } = metricWords(metric);
  const personal = open.flatMap(({ method, mean }) =>
    isBaseline(method) || method !== (withoutPrivacy ?? method) ? [] : [mean],
  );
  const most = personal.length === 0 ? undefined : isError ? Math.min(...personal) : Math.max(...personal);
  const plainRow = open.find(({ method }) => isBaseline(method));
  if (one === undefined || near === undefined || most === undefined || plainRow === undefined)
    return undefined;
  const shown = (value: number) => formatNumber(Number((times * value).toPrecision(times === 100 ? 2 : 3)));
  const start = `At ε = ${shownEpsilon(near)}, hush`;
  const plain = referenceName(plainRow.method);
  if (times === 100)
    return `${start} finds ${shown(one.mean)} of 100 held-out favourites. Without privacy it would be ${shown(most)}; the ${plain}, which knows nobody’s taste, finds ${shown(plainRow.mean)}.`;
  const part = Math.round((100 * (one.mean - plainRow.mean)) / (most - plainRow.mean));
  return `${start} goes ${part}% of the way from the ${plain} (${metric} ${shown(plainRow.mean)}) to no privacy (${shown(most)}).`;
}

/** What the methods of a sweep protect; an ε of one unit cannot be compared with that of another. */
export function unitsOf(rows: readonly ComparisonRow[]): string[] {
  const units = [...new Set(rows.filter(({ epsilon }) => epsilon !== null).map(({ unit }) => unit))];
  return units.length > 0 ? units : ['none'];
}

/**
 * Quality against ε, one line per method that protects `unit`; methods without privacy are horizontal lines.
 * Where noise rules by the forecast for so many people, the chart is dotted: of whole people only, which it
 * is about.
 */
export function sweepChart(
  { rows, trainedOn, withoutPrivacy }: Pick<Comparison, 'rows' | 'trainedOn' | 'withoutPrivacy'>,
  metric: string,
  unit: string,
): LineChart {
  const { title, times } = metricWords(metric);
  const own = rows.filter((row) => row.metric === metric);
  const guarded = own.filter((row) => row.epsilon !== null && row.unit === unit);
  const runs = Math.max(1, ...guarded.map((row) => row.runs));
  const noisyTo = unit === 'user' ? noisyBelow(trainedOn, guarded[0]?.delta ?? 0) : undefined;
  return {
    kind: 'line',
    title: unit === 'none' || unit === 'user' ? title : `${title}: ${unitWords[unit] ?? unit}`,
    description: `Mean of ${runs} ${runs === 1 ? 'run' : 'runs'} per point${runs === 1 ? '' : '; the band is one standard error to either side'}. Under ε: the most that a 50% guess can become.`,
    namesAtEnds: true,
    ...(noisyTo !== undefined && {
      noisy: {
        to: noisyTo,
        words: ['too noisy to be personal', `with ${count.format(trainedOn!.people)} people (forecast)`],
      },
    }),
    x: {
      label: 'ε (log scale)',
      scale: 'log',
      ticks: [...new Set(guarded.map(({ epsilon }) => roundedUp(epsilon!, 2)))],
      notes: [...new Set(guarded.map(({ epsilon }) => roundedUp(epsilon!, 2)))].map((each) => ({
        at: each,
        text: percentWords(posteriorOf(0.5, each)),
      })),
    },
    y: { label: axisLabel(metric) },
    series: [...new Set(guarded.map(({ method }) => method))].map((method) => ({
      name: method,
      points: guarded
        .filter((row) => row.method === method)
        .map(({ epsilon, mean, sd, runs: averaged }): SpreadPoint => {
          const error = (sd ?? 0) / Math.sqrt(averaged);
          return {
            x: epsilon!,
            y: times * mean,
            ...(error > 0 && { low: times * (mean - error), high: times * (mean + error) }),
          };
        }),
    })),
    // Of those without privacy the best, where it is known, and what needs nobody's taste.
    references: own
      .filter(
        ({ method, epsilon }) =>
          epsilon === null && (isBaseline(method) || method === (withoutPrivacy ?? method)),
      )
      .map(({ method, mean }) => ({
        name: `${referenceName(method)}, ${formatNumber(Number((times * mean).toPrecision(3)))}`,
        y: times * mean,
      })),
  };
}

const count = new Intl.NumberFormat('en');

/** Quality by popularity of the items: every method at the ε nearest to 1, beside those without privacy. */
export function sweepSlicesChart(slices: Comparison['slices'], metric: string): BarChart | undefined {
  const own = slices.filter((each) => each.metric === metric);
  const epsilonOf = ({ name }: Comparison['slices'][number]) => Number(/ε = ([\d.]+)/.exec(name)?.[1] ?? NaN);
  const guarded = own.map(epsilonOf).filter((epsilon) => !Number.isNaN(epsilon));
  const near = nearestToOne(guarded);
  // Those with privacy first: each has the colour of its curve.
  return popularityChart(
    [
      ...own.filter((each) => epsilonOf(each) === near),
      ...own.filter((each) => Number.isNaN(epsilonOf(each))),
    ],
    metric,
  );
}

export function metricNames(models: readonly ModelSummary[]): string[] {
  return [...new Set(models.flatMap((model) => metricsOf(model).map(({ name }) => name)))];
}

/** Quality of the published models against their ε, with 95% intervals over people. */
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
    description: 'One point per model; the spread is a 95% interval over people.',
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
      .map(({ model, value }) => ({ name: referenceName(model.method), y: value })),
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
  const { times } = metricWords(metric);
  return {
    kind: 'bars',
    title: `${metric} by popularity of the items`,
    description: 'Slices hold equal numbers of items, the rarest first.',
    y: { label: axisLabel(metric) },
    categoryLabel: 'items by popularity',
    categories: Array.from({ length: count }, (_, slice) =>
      slice === 0 ? 'rarest' : slice === count - 1 ? 'most popular' : String(slice + 1),
    ),
    series: series.map(({ name, values }) => ({
      name,
      values: values.map((value) => (value === null ? null : times * value)),
    })),
  };
}

/** How many times larger the noise of each kind of release is than what one person (or rating) can change. */
export function noiseTable(
  certificates: readonly {
    readonly model: string;
    readonly releases: readonly { name: string; sensitivity: number; noise: number }[];
  }[],
): Table | undefined {
  const shown = certificates.map(({ model, releases }) => ({
    model,
    releases: releases.filter(({ sensitivity }) => sensitivity > 0),
  }));
  const kinds = [...new Set(shown.flatMap(({ releases }) => releases.map(({ name }) => releaseWords(name))))];
  if (kinds.length === 0) return undefined;
  const mean = (values: readonly number[]) =>
    values.length === 0 ? null : values.reduce((a, b) => a + b) / values.length;
  return {
    columns: [
      { label: 'Released' },
      ...shown.map(({ model }) => ({ label: model, align: 'right' as const })),
    ],
    rows: kinds.map((kind) => [
      kind,
      ...shown.map(({ releases }) => {
        const ratio = mean(
          releases
            .filter(({ name }) => releaseWords(name) === kind)
            .map(({ noise, sensitivity }) => noise / sensitivity),
        );
        return ratio === null ? null : Number(ratio.toPrecision(3));
      }),
    ]),
  };
}
