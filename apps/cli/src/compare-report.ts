import type { SweepCell, SweepRow, Tuned, WithoutPrivacy } from '@hushrec/evaluate';
import { roundedUp } from '@hushrec/privacy';
import { type ReportSection, renderReport } from '@hushrec/report';
import { withoutPrivacyText } from './comparison-text.js';
import { privacyPanels } from './privacy-panels.js';
import { type SameMethod, sameMethodsText } from './same-methods.js';

/** A metric of the curves, with the direction in which it is better. */
export interface ShownMetric {
  readonly name: string;
  readonly better: 'smaller' | 'larger';
}

/** The sweep as one self-contained page: curves by privacy unit, slices by popularity, table, time. */
export function compareReport(
  dataset: {
    readonly name: string;
    readonly people: number;
    readonly items: number;
    readonly ratings: number;
  },
  cells: readonly SweepCell[],
  rows: readonly SweepRow[],
  metrics: readonly ShownMetric[],
  run: {
    readonly protocol: string;
    readonly delta: number;
    readonly asIfPeople?: number;
    readonly command: string;
    readonly accounting: string;
    readonly tuned: readonly Tuned[];
    readonly same: readonly SameMethod[];
    readonly withoutPrivacy?: WithoutPrivacy;
    /** What methods were given: fewer than the data set has where only likes, or a part, are used. */
    readonly trainedOn: { readonly people: number; readonly ratings: number };
  },
): string {
  const sections = metrics.flatMap((metric) => metricSections(metric, cells, rows, run));
  sections.push(timeSection(rows.filter((row) => row.metric === metrics[0].name)));
  sections.push(figuresSection(rows));
  if (run.tuned.length > 0) sections.push(tunedSection(run.tuned));
  return renderReport({
    title: `Quality against privacy: ${dataset.name}`,
    intro: [
      `${dataset.people} people, ${dataset.items} items, ${dataset.ratings} ratings; protocol ${run.protocol}. Noise calibrated by ${run.accounting} accounting; ε is the true one.`,
      ...(run.asIfPeople === undefined
        ? []
        : [
            `Simulated as if ${run.asIfPeople} people had contributed: the noise-to-signal ratio is theirs, and there is no guarantee for this data.`,
          ]),
      ...sameMethodsText(run.same),
      ...withoutPrivacyText(run.withoutPrivacy, run.tuned),
      `All runs are simulations with seeded noise. ${run.tuned.length > 0 ? 'Settings were chosen on validation, without charge.' : 'Settings are the methods’ defaults or were given by hand; choosing them by these figures would cost privacy that is not included.'}`,
    ],
    sections,
    footer: `Made by: ${run.command}`,
  });
}

/** One metric: curves by privacy unit, and slices by popularity. */
function metricSections(
  { name: metric, better: direction }: ShownMetric,
  cells: readonly SweepCell[],
  rows: readonly SweepRow[],
  {
    trainedOn,
    withoutPrivacy: best,
  }: {
    readonly trainedOn: { readonly people: number; readonly ratings: number };
    readonly withoutPrivacy?: WithoutPrivacy;
  },
): ReportSection[] {
  const shown = rows.filter((row) => row.metric === metric);
  const better = direction === 'smaller' ? 'lower is better' : 'higher is better';
  const baselines = shown.filter(({ unit }) => unit === 'none');
  const panels = privacyPanels(shown, trainedOn).filter(({ unit }) => unit !== 'none');
  const sections: ReportSection[] = panels.map(({ title, meaning, rows: own }) => ({
    heading: title,
    text: meaning,
    chart: {
      kind: 'line',
      title: `${metric} against ε`,
      description: 'Mean over runs; the band is one standard deviation.',
      x: { label: 'ε (smaller protects more)', scale: 'log' },
      y: { label: `${metric} (${better})` },
      series: [...new Set(own.map(({ method }) => method))].map((method) => ({
        name: method,
        points: own
          .filter((row) => row.method === method && row.epsilon !== null)
          .map(({ epsilon, mean, sd }) => ({ x: epsilon!, y: mean, low: mean - sd, high: mean + sd })),
      })),
      references: baselines.map(({ method, mean }) => ({
        name: method === best?.method ? `without privacy (${method})` : `${method}, no privacy`,
        y: mean,
      })),
    },
  }));
  const sliced = panels.length > 1 ? panels : [{ unit: panels[0]?.unit ?? 'none', title: '' }];
  for (const { unit, title } of sliced) {
    const own = cells.filter((cell) => cell.unit === unit || cell.unit === 'none');
    sections.push(...sliceSections(own, title === '' ? '' : `: ${lowerFirst(title)}`, metric, better));
  }
  return sections;
}

const lowerFirst = (title: string) => title.charAt(0).toLowerCase() + title.slice(1);

/**
 * Quality, and noise over signal, by how popular an item is; of one privacy unit at a time, named in the
 * heading where there are several.
 */
function sliceSections(
  cells: readonly SweepCell[],
  which: string,
  metric: string,
  better: string,
): ReportSection[] {
  const count = cells[0]?.slices.length ?? 0;
  if (count === 0) return [];
  const groups = new Map<string, SweepCell[]>();
  for (const cell of cells) {
    const name = cell.epsilon === null ? cell.method : `${cell.method}, ε = ${cell.epsilon}`;
    groups.set(name, [...(groups.get(name) ?? []), cell]);
  }
  const bars = (label: string, figure: (cell: SweepCell, slice: number) => number | null | undefined) => ({
    kind: 'bars' as const,
    title: `${label} by popularity`,
    description: 'Items in equal groups by how often they were rated in training; the rarest on the left.',
    categoryLabel: 'items by popularity',
    categories: Array.from({ length: count }, (_, slice) =>
      slice === 0 ? 'rarest' : slice === count - 1 ? 'most rated' : String(slice + 1),
    ),
    y: { label },
    series: [...groups]
      .map(([name, group]) => ({
        name,
        values: Array.from({ length: count }, (_, slice) => {
          const values = group
            .map((cell) => figure(cell, slice))
            .filter((value): value is number => typeof value === 'number' && Number.isFinite(value));
          return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
        }),
      }))
      .filter(({ values }) => values.some((value) => value !== null)),
  });
  const sections: ReportSection[] = [
    {
      heading: `By popularity of the item${which}`,
      chart: bars(`${metric} (${better})`, (cell, slice) => cell.slices[slice]?.[metric]),
    },
  ];
  if (cells.some(({ noiseToSignal }) => noiseToSignal?.some((value) => value !== null))) {
    sections.push({
      heading: `Noise over signal, by popularity of the item${which}`,
      text: 'In the last sums released item by item: √(energy of the noise / energy of the signal), estimated from the released numbers alone. Above 1 noise is the larger part; no bar means that no signal could be told from noise.',
      chart: bars('noise over signal', (cell, slice) => cell.noiseToSignal?.[slice]),
    });
  }
  return sections;
}

/** Mean training time of every method at every ε. */
function timeSection(rows: readonly SweepRow[]): ReportSection {
  const epsilons = [...new Set(rows.map(({ epsilon }) => epsilon))];
  return {
    heading: 'Time',
    text: 'ε is that of each method’s own unit. Where several models were trained at a time, each had one thread.',
    chart: {
      kind: 'bars',
      title: 'Seconds to train one model',
      categoryLabel: 'ε',
      categories: epsilons.map((epsilon) => (epsilon === null ? 'no privacy' : String(epsilon))),
      y: { label: 'seconds' },
      series: [...new Set(rows.map(({ method }) => method))].map((method) => ({
        name: method,
        values: epsilons.map(
          (epsilon) => rows.find((row) => row.method === method && row.epsilon === epsilon)?.seconds ?? null,
        ),
      })),
    },
  };
}

/** Every row as it was measured. */
function figuresSection(rows: readonly SweepRow[]): ReportSection {
  return {
    heading: 'All figures',
    table: {
      columns: ['method', 'protects', 'ε', 'δ', 'metric', 'mean', 'sd', 'runs', 'seconds'],
      rows: rows.map(({ method, unit, epsilon, delta, metric, mean, sd, runs, seconds }) => [
        method,
        unit,
        cellOf(epsilon),
        delta,
        metric,
        mean,
        sd,
        runs,
        seconds,
      ]),
    },
  };
}

/** What was chosen on validation, and what choosing it privately would have cost. */
function tunedSection(tuned: readonly Tuned[]): ReportSection {
  return {
    heading: 'What was tuned',
    text: 'Random search on validation, not charged. The last two columns are the ε that the same search would have, at the same δ, if it had to be private: by random stopping (Papernot & Steinke 2022), and with all trainings composed.',
    table: {
      columns: [
        'method',
        'ε',
        'trainings',
        'validation, untuned',
        'validation, chosen',
        'chosen settings',
        'ε by random stopping',
        'ε by composition',
      ],
      rows: tuned.map(({ method, epsilon, trials, untuned, validation, settings, cost }) => [
        method,
        cellOf(epsilon),
        trials,
        untuned,
        validation,
        JSON.stringify(settings),
        cellOf(cost?.randomStopping ?? null),
        cellOf(cost?.composition ?? null),
      ]),
    },
  };
}

/** In as many digits as tables have, and never smaller than it is. */
function cellOf(epsilon: number | null): number | null {
  return epsilon === null ? null : roundedUp(epsilon, 4);
}
