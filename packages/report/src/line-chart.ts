import { type AxisScale, axisScale } from './axis-scale.js';
import {
  defaultHeight,
  defaultWidth,
  frame,
  horizontalAxis,
  legend,
  legendRows,
  type PlotArea,
  plotArea,
  seriesClass,
  verticalAxis,
  widthOfNames,
  wishedTicks,
} from './chart-frame.js';
import type { DrawOptions, LineChart, SpreadPoint } from './chart-spec.js';
import { coordinate as at, escapeMarkup, formatNumber } from './markup.js';
import { noisyPart, noisyWords } from './noisy-part.js';

/**
 * Draws a line chart as SVG text. Points that are not finite, or not positive on a log axis, are left out.
 */
export function drawLineChart(chart: LineChart, options: DrawOptions): string {
  const references = chart.references ?? [];
  const series = drawableSeries(chart);
  const all = series.flat();
  const heights = all
    .flatMap(({ y, low, high }) => [y, low ?? y, high ?? y])
    .concat(references.map(({ y }) => y));
  const { area, names, rows, isBeside, notesHeight } = layoutOf(chart, references, heights, options);
  const x = axisScale(
    chart.x,
    all.map((point) => point.x),
    area.left + 6,
    area.right - 6,
    chart.x.scale === 'time' ? Math.max(2, Math.floor((area.right - area.left) / 75)) : 8,
  );
  const y = axisScale(chart.y, heights, area.bottom, area.top, wishedTicks);

  const clip = `${escapeMarkup(options.id)}-clip`;
  const lines = series.map((points, index) => {
    const size = sizeOfMarks(
      points.filter((p) => isMarked(chart.series[index], p)).map((p) => x.position(p.x)),
    );
    const path = points.flatMap((p, place) => {
      const [left, height] = [at(x.position(p.x)), at(y.position(p.y))];
      const before = chart.series[index].isStepped === true ? points[place - 1] : undefined;
      return before === undefined
        ? [`${left},${height}`]
        : [`${left},${at(y.position(before.y))}`, `${left},${height}`];
    });
    return (
      `<g class="${seriesClass(index)}">${band(points, x.position, y.position)}` +
      `<polyline class="${lineClass(chart.series, index)}" points="${path.join(' ')}"/>` +
      `${points.map((p) => point(p, index, chart, x, y, area, size)).join('')}</g>`
    );
  });
  const levels = references.map(({ y: level, isLimit }, index) => {
    const height = at(y.position(level));
    const line = `<line class="${levelClass({ isLimit }, index)}" x1="${area.left}" x2="${area.right}" y1="${height}" y2="${height}"/>`;
    const beyond = `<rect class="beyond" x="${area.left}" y="${area.top}" width="${at(area.right - area.left)}" height="${at(Math.max(0, y.position(level) - area.top))}"/>`;
    return isLimit === true ? beyond + line : line;
  });
  const content =
    `<clipPath id="${clip}"><rect x="${area.left - 2}" y="${area.top - 6}" width="${area.right - area.left + 4}" height="${area.bottom - area.top + 12}"/></clipPath>` +
    noisyPart(chart.noisy, x, area) +
    verticalAxis(y, chart.y, area) +
    horizontalAxis(x, chart.x, area) +
    `<g clip-path="url(#${clip})">${levels.join('')}${lines.join('')}</g>` +
    noisyWords(chart.noisy, x, area, placesOfLines(series, references, x, y, area)) +
    (isBeside ? namesBeside(endsOf(chart, series, references), names, series.length, y.position, area) : '') +
    legend(rows, { ...area, bottom: area.bottom + notesHeight }, legendSample(chart));
  return frame(options, chart.title, chart.description, content + (all.length === 0 ? nothingYet(area) : ''));
}

/** Along all lines: a reference line that is covered in part is still read; a measurement is not. */
function placesOfLines(
  series: readonly (readonly SpreadPoint[])[],
  references: NonNullable<LineChart['references']>,
  x: AxisScale,
  y: AxisScale,
  area: PlotArea,
) {
  const pointsOf = (points: readonly SpreadPoint[]) =>
    points.map((p): [number, number] => [x.position(p.x), y.position(p.y)]);
  return [
    ...series.flatMap((points) => alongLine(pointsOf(points), 96)),
    ...references.flatMap(({ y: level }) => {
      const height = y.position(level);
      return alongLine(
        [
          [area.left, height],
          [area.right, height],
        ],
        24,
      );
    }),
  ];
}

/** Where lines are drawn, and whether their names stand at their ends or in a legend below. */
function layoutOf(
  chart: LineChart,
  references: NonNullable<LineChart['references']>,
  heights: readonly number[],
  options: DrawOptions,
) {
  const width = options.width ?? defaultWidth;
  const height = options.height ?? defaultHeight;
  const names = [...chart.series.map(({ name }) => name), ...references.map(({ name }) => name)];
  const beside = chart.namesAtEnds === true ? widthOfNames(names) : Infinity;
  const isBeside = beside < mostBeside * width && chart.x.max === undefined;
  const rows = isBeside ? [] : legendRows(names, width - 40);
  const notesHeight = (chart.x.notes === undefined ? 0 : 16) - (chart.x.label === '' ? 20 : 0);
  const area = plotArea(
    { ...options, height: height - notesHeight },
    rows,
    chart.y,
    heights,
    isBeside ? beside : undefined,
  );
  return { area, names, rows, isBeside, notesHeight };
}

/** The points of each series that have a place on both axes, from left to right. */
function drawableSeries(chart: LineChart): SpreadPoint[][] {
  const drawable = (point: SpreadPoint) =>
    Number.isFinite(point.x) &&
    Number.isFinite(point.y) &&
    (chart.x.scale !== 'log' || point.x > 0) &&
    (chart.y.scale !== 'log' || point.y > 0);
  return chart.series.map((one) => one.points.filter(drawable).toSorted((a, b) => a.x - b.x));
}

/** What stands before a name in the legend: series first, horizontal lines after them. */
function legendSample({ series, references = [] }: LineChart) {
  return (index: number, left: number, top: number) => {
    const line = (kind: string) =>
      `<line class="${kind}" x1="${at(left)}" x2="${at(left + 24)}" y1="${top}" y2="${top}"/>`;
    if (index >= series.length)
      return line(levelClass(references[index - series.length], index - series.length));
    const sample = series[index].marks?.length === 0 ? '' : marker(index, left + 12, top);
    return `<g class="${seriesClass(index)}">${line(lineClass(series, index))}${sample}</g>`;
  };
}

function lineClass(series: LineChart['series'], index: number): string {
  return series[index].isReference === true ? referenceClass(0) : `${seriesClass(index)} line`;
}

function nothingYet({ left, right, top, bottom }: PlotArea): string {
  return `<text class="quiet" x="${at((left + right) / 2)}" y="${at((top + bottom) / 2)}" text-anchor="middle">Nothing measured yet.</text>`;
}

/** Points along a line through others, so many from one to the next: what would cover it. */
function alongLine(
  points: readonly (readonly [number, number])[],
  pieces: number,
): { x: number; y: number }[] {
  return points.slice(1).flatMap(([toX, toY], at) => {
    const [fromX, fromY] = points[at];
    return Array.from({ length: pieces + 1 }, (_, piece) => ({
      x: fromX + ((toX - fromX) * piece) / pieces,
      y: fromY + ((toY - fromY) * piece) / pieces,
    }));
  });
}

/** Names take at most this part of the width. */
const mostBeside = 0.34;
const lineOfText = 16;

/**
 * Where each line ends, in the order of the names; series that have no points end nowhere, nor do steps that
 * end within the picture.
 */
function endsOf(
  chart: LineChart,
  series: readonly (readonly SpreadPoint[])[],
  references: NonNullable<LineChart['references']>,
): (number | undefined)[] {
  const lasts = series.map((points) => points.at(-1));
  const end = Math.max(...lasts.map((last) => last?.x ?? -Infinity));
  return [
    ...lasts.map((last, index) =>
      chart.series[index].isStepped === true && last?.x !== end ? undefined : last?.y,
    ),
    ...references.map(({ y }) => y),
  ];
}

/**
 * Names at the heights of the lines' ends, moved apart where they would overlap; those of series in their
 * colour.
 */
function namesBeside(
  ends: readonly (number | undefined)[],
  names: readonly string[],
  seriesCount: number,
  position: (y: number) => number,
  area: PlotArea,
): string {
  const placed = ends
    .flatMap((end, index) => (end === undefined ? [] : [{ index, at: position(end) }]))
    .sort((a, b) => a.at - b.at);
  for (let place = 1; place < placed.length; place++)
    placed[place].at = Math.max(placed[place].at, placed[place - 1].at + lineOfText);
  return placed
    .map(
      ({ index, at: height }) =>
        `<text class="${index < seriesCount ? `${seriesClass(index)} ` : ''}name" x="${area.right + 8}" y="${at(height)}" dy=".32em">${escapeMarkup(names[index])}</text>`,
    )
    .join('');
}

function levelClass({ isLimit }: { readonly isLimit?: boolean | undefined }, index: number): string {
  return isLimit === true ? 'limit' : referenceClass(index);
}

/** Up to four horizontal lines are told apart by their dashes. */
function referenceClass(index: number): string {
  return `reference r${index % 4}`;
}

/** The spread as a band between its ends, where at least two neighbouring points have one. */
function band(
  points: readonly SpreadPoint[],
  x: (value: number) => number,
  y: (value: number) => number,
): string {
  const spread = points.filter(
    (point) => Number.isFinite(y(point.low ?? NaN)) && Number.isFinite(y(point.high ?? NaN)),
  );
  if (spread.length < 2) return '';
  const upper = spread.map((p) => `${at(x(p.x))},${at(y(p.high!))}`);
  const lower = spread.toReversed().map((p) => `${at(x(p.x))},${at(y(p.low!))}`);
  return `<polygon class="band" points="${[...upper, ...lower].join(' ')}"/>`;
}

function point(
  { x: value, y: measured, low, high }: SpreadPoint,
  index: number,
  chart: LineChart,
  x: AxisScale,
  y: AxisScale,
  area: PlotArea,
  size: number,
): string {
  const { name, marks } = chart.series[index];
  const mark = marks?.find((each) => each.x === value);
  const isSeen = isMarked(chart.series[index], { x: value, y: measured });
  const [left, height] = [x.position(value), y.position(measured)];
  const [top, bottom] = [y.position(high ?? NaN), y.position(low ?? NaN)];
  const hasSpread =
    low !== undefined && high !== undefined && Number.isFinite(top) && Number.isFinite(bottom);
  const whisker =
    hasSpread && isSeen
      ? `<line class="whisker" x1="${at(left)}" x2="${at(left)}" y1="${at(bottom)}" y2="${at(top)}"/>`
      : '';
  const spread = hasSpread ? ` (${formatNumber(low)} to ${formatNumber(high)})` : '';
  const label = `${name}: ${formatNumber(measured)}${spread} at ${x.words(value)}`;
  // A cross-hair finds the place of a point that has no marker, too.
  const dot = isSeen
    ? marker(index, left, height, size)
    : `<circle class="unseen" cx="${at(left)}" cy="${at(height)}" r="4.5"/>`;
  const words = mark === undefined ? '' : wordsBeside(mark.text, left, height - 10, area);
  return `<g data-x="${value}"><title>${escapeMarkup(label)}</title>${words}${whisker}${dot}</g>`;
}

function isMarked({ marks }: LineChart['series'][number], { x }: SpreadPoint): boolean {
  return marks?.some((each) => each.x === x) ?? true;
}

/** Markers shrink where they would run into each other. */
function sizeOfMarks(places: readonly number[]): number {
  const gaps = places.slice(1).map((place, before) => place - places[before]);
  return Math.max(0.33, Math.min(1, Math.min(...gaps) / 9));
}

/** Before a point where there is room, else after it. */
function wordsBeside(text: string, left: number, height: number, area: PlotArea): string {
  if (text === '') return '';
  const isBefore = left - 8 - widthOfNames([text]) > area.left;
  return `<text class="name" x="${at(left + (isBefore ? -8 : 8))}" y="${at(height)}" text-anchor="${isBefore ? 'end' : 'start'}">${escapeMarkup(text)}</text>`;
}

/** Circle, square, diamond, triangle, then again: told apart without colour. */
function marker(index: number, x: number, y: number, size = 1): string {
  const r = (part: number) => at(part * size);
  switch (index % 4) {
    case 0:
      return `<circle class="mark" cx="${at(x)}" cy="${at(y)}" r="${r(4.5)}"/>`;
    case 1:
      return `<rect class="mark" x="${at(x - 4 * size)}" y="${at(y - 4 * size)}" width="${r(8)}" height="${r(8)}"/>`;
    case 2:
      return `<path class="mark" d="M${at(x)} ${at(y - 5.5 * size)}l${r(5.5)} ${r(5.5)}-${r(5.5)} ${r(5.5)}-${r(5.5)}-${r(5.5)}z"/>`;
    default:
      return `<path class="mark" d="M${at(x)} ${at(y - 5 * size)}l${r(5)} ${r(9)}h-${r(10)}z"/>`;
  }
}
