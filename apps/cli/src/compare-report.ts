import type { SweepCell, SweepRow, Tuned, WithoutPrivacy } from '@hushrec/evaluate';
import { percentWords, posteriorOf } from '@hushrec/model/words';
import { roundedUp } from '@hushrec/privacy';
import type { BarChart, ReportSection } from '@hushrec/report';
import { withoutPrivacyText } from './comparison-text.js';
import { pageReport } from './page-report.js';
import { privacyPanels } from './privacy-panels.js';
import { type SameMethod, sameMethodsText } from './same-methods.js';

/** A metric of the curves, with the direction in which it is better. */
export interface ShownMetric {
  readonly name: string;
  readonly better: 'smaller' | 'larger';
}

/**
 * The sweep as one self-contained page: what came out, then curves by privacy unit, slices by popularity,
 * time and the table. A section that would have nothing to show is left out.
 */
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
  sections.push(...noiseSections(cells));
  sections.push(timeSection(rows.filter((row) => row.metric === metrics[0].name)));
  sections.push(figuresSection(rows));
  if (run.tuned.length > 0) sections.push(tunedSection(run.tuned));
  return pageReport({
    title: `Quality against privacy: ${dataset.name}`,
    intro: [
      ...findings(rows, metrics[0], run.withoutPrivacy),
      `${count(dataset.people)} people, ${count(dataset.items)} items, ${count(dataset.ratings)} ratings; protocol ${run.protocol}. Noise calibrated by ${run.accounting} accounting; ε is the true one.`,
      ...(run.asIfPeople === undefined
        ? []
        : [
            `Simulated as if ${count(run.asIfPeople)} people had contributed: the noise-to-signal ratio is theirs, and there is no guarantee for this data.`,
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
  /** Names the panel where there are several. */
  const headingOf = (words: string, title: string) =>
    panels.length > 1 ? `${words}: ${lowerFirst(title)}` : words;
  const sections: ReportSection[] = panels.map(({ unit, title, meaning, rows: own }) => ({
    heading: headingOf(`${metric} against ε`, title),
    text: `${title}. ${meaning}`,
    chart: {
      kind: 'line',
      title: headingOf(`${metric} against ε`, title),
      description: `Mean over runs; the band is one standard error to either side.${unit === 'user' ? ' Under ε: the most that a 50% guess about a person can become.' : ''}`,
      namesAtEnds: true,
      x: {
        label: 'ε (smaller protects more)',
        scale: 'log',
        ...(unit === 'user' && beliefs(own)),
      },
      y: { label: `${metric} (${better})` },
      series: [...new Set(own.map(({ method }) => method))].map((method) => ({
        name: method,
        points: own
          .filter((row) => row.method === method && row.epsilon !== null)
          .map(({ epsilon, mean, sd, runs }) => {
            const error = sd / Math.sqrt(runs);
            return { x: epsilon!, y: mean, low: mean - error, high: mean + error };
          }),
      })),
      references: baselines.map(({ method, mean }) => ({
        name: method === best?.method ? `without privacy (${method})` : `${method}, no privacy`,
        y: mean,
      })),
    },
  }));
  for (const { unit, title } of panels.length > 0 ? panels : [{ unit: 'none', title: '' }]) {
    const own = nearestToOne(cells.filter((cell) => cell.unit === unit || cell.unit === 'none'));
    const chart = barsByPopularity(
      own,
      headingOf(`${metric} by popularity of the item`, title),
      `${metric} (${better})`,
      (cell, slice) => cell.slices[slice]?.[metric],
    );
    if (chart !== undefined) sections.push({ heading: chart.title, chart });
  }
  return sections;
}

/**
 * What came out at the ε nearest to 1, by the first metric: the best method of whole people, and what it lies
 * between.
 */
function findings(
  rows: readonly SweepRow[],
  { name, better }: ShownMetric,
  best: WithoutPrivacy | undefined,
): string[] {
  const own = rows.filter(({ metric }) => metric === name);
  const guarded = own.filter(({ unit, epsilon }) => unit === 'user' && epsilon !== null);
  const sign = better === 'larger' ? 1 : -1;
  const first = (some: readonly SweepRow[]) =>
    some.reduce<SweepRow | undefined>(
      (top, row) => (top === undefined || sign * (row.mean - top.mean) > 0 ? row : top),
      undefined,
    );
  const near = nearestToOne(guarded)[0]?.epsilon;
  const winner = first(guarded.filter(({ epsilon }) => epsilon === near));
  if (winner === undefined) return [];
  const open = own.filter(({ unit }) => unit === 'none');
  const beside = [
    open.find(({ method }) => method === best?.method) ?? first(open),
    open.find(({ method }) => method === 'popularity'),
  ].filter((row, place, all) => row !== undefined && all.indexOf(row) === place);
  const words = beside.map((row) => `${row!.method} without privacy ${shown(row!.mean)}`);
  return [
    `At ε = ${near}, ${winner.method} reaches ${name} ${shown(winner.mean)} (${better} is better)${words.length === 0 ? '' : `; ${words.join(', ')}`}.`,
  ];
}

/**
 * What has no ε, and what has the one nearest to 1: a figure for each method and ε would have too many bars.
 */
function nearestToOne<Run extends { readonly epsilon: number | null }>(runs: readonly Run[]): Run[] {
  const distance = ({ epsilon }: Run) => Math.abs(Math.log(epsilon ?? 1));
  const least = Math.min(...runs.filter(({ epsilon }) => epsilon !== null).map(distance));
  return runs.filter((run) => run.epsilon === null || distance(run) <= least + 0.01);
}

const count = (many: number) => many.toLocaleString('en');
const shown = (value: number) => String(Number(value.toPrecision(3)));

/** What each ε means, under the axis. */
function beliefs(rows: readonly SweepRow[]) {
  const ticks = [
    ...new Set(rows.flatMap(({ epsilon }) => (epsilon === null ? [] : [roundedUp(epsilon, 2)]))),
  ];
  return { ticks, notes: ticks.map((at) => ({ at, text: percentWords(posteriorOf(0.5, at)) })) };
}

const lowerFirst = (title: string) => title.charAt(0).toLowerCase() + title.slice(1);

/**
 * Bars over items in equal groups by popularity, one for each method and ε; undefined where there is none.
 */
function barsByPopularity(
  cells: readonly SweepCell[],
  title: string,
  label: string,
  figure: (cell: SweepCell, slice: number) => number | null | undefined,
): BarChart | undefined {
  const count = cells[0]?.slices.length ?? 0;
  const groups = new Map<string, SweepCell[]>();
  // Those with a promise first, as in the lines above.
  for (const cell of cells.toSorted((a, b) => Number(a.unit === 'none') - Number(b.unit === 'none'))) {
    const name = cell.epsilon === null ? cell.method : `${cell.method}, ε = ${cell.epsilon}`;
    groups.set(name, [...(groups.get(name) ?? []), cell]);
  }
  const series = [...groups]
    .map(([name, group]) => ({
      name,
      values: Array.from({ length: count }, (_, slice) => {
        const values = group
          .map((cell) => figure(cell, slice))
          .filter((value): value is number => typeof value === 'number' && Number.isFinite(value));
        return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
      }),
    }))
    .filter(({ values }) => values.some((value) => value !== null));
  if (series.length === 0) return undefined;
  return {
    kind: 'bars',
    title,
    description: 'Items in equal groups by how often they were rated in training; the rarest on the left.',
    categoryLabel: 'items by popularity',
    categories: Array.from({ length: count }, (_, slice) =>
      slice === 0 ? 'rarest' : slice === count - 1 ? 'most rated' : String(slice + 1),
    ),
    y: { label },
    series,
  };
}

/** Noise over signal is of a model, not of a metric: told once. */
function noiseSections(cells: readonly SweepCell[]): ReportSection[] {
  const chart = barsByPopularity(
    cells,
    'Noise over signal by popularity of the item',
    'noise over signal',
    (cell, slice) => cell.noiseToSignal?.[slice],
  );
  if (chart === undefined) return [];
  return [
    {
      heading: chart.title,
      text: 'In the last sums released item by item: √(energy of the noise / energy of the signal), estimated from the released numbers alone. Above 1 noise is the larger part; no bar means that no signal could be told from noise.',
      chart,
    },
  ];
}

/** Mean training time of every method at every ε. */
function timeSection(rows: readonly SweepRow[]): ReportSection {
  const epsilons = [...new Set(rows.map(({ epsilon }) => epsilon))];
  return {
    heading: 'Seconds to train one model',
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
      columns: ['method', 'protects', 'ε', 'δ', 'metric', 'mean', 'standard deviation', 'runs', 'seconds'],
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
