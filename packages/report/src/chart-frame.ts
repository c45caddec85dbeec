import { type AxisScale, axisScale } from './axis-scale.js';
import type { Axis, DrawOptions } from './chart-spec.js';
import { chartStyle, seriesStyles } from './chart-style.js';
import { coordinate as at, escapeMarkup, formatNumber } from './markup.js';

/** The rectangle of the data within the picture, in SVG units. */
export interface PlotArea {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export const defaultWidth = 720;
export const defaultHeight = 420;
const characterWidth = 7.2;

/** Lines of the legend: series names in rows no wider than the chart. */
export interface LegendRow {
  readonly entries: readonly { readonly name: string; readonly index: number; readonly x: number }[];
}

/** Breaks names into rows of at most `width`; a single name is never broken. */
export function legendRows(names: readonly string[], width: number): LegendRow[] {
  const rows: { name: string; index: number; x: number }[][] = [];
  let x = Infinity;
  for (const [index, name] of names.entries()) {
    const needed = 34 + name.length * characterWidth;
    if (x + needed > width) {
      rows.push([]);
      x = 0;
    }
    rows.at(-1)!.push({ name, index, x });
    x += needed + 12;
  }
  return rows.map((entries) => ({ entries }));
}

/**
 * Heights taken by title above and by ticks, axis label and legend below the data, and the width of the
 * vertical axis for the values it shows; `beside` is kept free at the right.
 */
export function plotArea(
  { width = defaultWidth, height = defaultHeight, untitled }: DrawOptions,
  legend: readonly LegendRow[],
  y: Axis,
  values: readonly number[],
  beside = 18,
): PlotArea {
  const { ticks, tickWords } = axisScale(y, values, 0, 1, wishedTicks);
  const ofTicks = 8 * Math.max(...ticks.map((tick) => tickWords(tick).length));
  return {
    left: y.label === '' ? Math.max(40, 12 + ofTicks) : Math.max(68, 32 + ofTicks),
    right: width - beside,
    top: untitled === true ? 14 : 44,
    bottom: height - 58 - legend.length * 20,
  };
}

/** About as many marks a vertical axis has. */
export const wishedTicks = 6;

/** Width of names drawn beside the data. */
export function widthOfNames(names: readonly string[]): number {
  return 16 + characterWidth * Math.max(0, ...names.map((name) => name.length));
}

/** The SVG element with title and description for screen readers around `content`. */
export function frame(
  options: DrawOptions,
  title: string,
  description: string | undefined,
  content: string,
): string {
  const width = options.width ?? defaultWidth;
  const height = options.height ?? defaultHeight;
  const id = escapeMarkup(options.id);
  const style = options.standalone === true ? `<style>${chartStyle}</style>` : '';
  const described =
    description === undefined ? '' : `<desc id="${id}-desc">${escapeMarkup(description)}</desc>`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" ` +
    `aria-labelledby="${id}-title"${description === undefined ? '' : ` aria-describedby="${id}-desc"`}>` +
    `<title id="${id}-title">${escapeMarkup(title)}</title>${described}${style}` +
    `${options.untitled === true ? '' : `<text class="heading" x="12" y="24">${escapeMarkup(title)}</text>`}${content}</svg>`
  );
}

export function verticalAxis(scale: AxisScale, axis: Axis, area: PlotArea): string {
  const middle = at((area.top + area.bottom) / 2);
  const label = `<text class="quiet" transform="translate(16 ${middle}) rotate(-90)" text-anchor="middle">${escapeMarkup(axis.label)}</text>`;
  return scale.ticks
    .map((tick) => {
      const y = at(scale.position(tick));
      return (
        `<line class="grid" x1="${area.left}" x2="${area.right}" y1="${y}" y2="${y}"/>` +
        `<text class="quiet" x="${area.left - 8}" y="${y}" dy=".32em" text-anchor="end">${formatNumber(tick)}</text>`
      );
    })
    .concat(label)
    .join('');
}

export function horizontalAxis(scale: AxisScale, axis: Axis, area: PlotArea): string {
  const notes = apart(
    (axis.notes ?? []).filter(({ at: value }) => value >= scale.min && value <= scale.max),
    scale,
  ).map(
    ({ at: value, text }) =>
      `${axis.scale === 'time' ? `<line class="grid" x1="${at(scale.position(value))}" x2="${at(scale.position(value))}" y1="${area.top}" y2="${area.bottom}"/>` : ''}` +
      `<text class="quiet" x="${at(scale.position(value))}" y="${area.bottom + 36}" text-anchor="middle">${escapeMarkup(text)}</text>`,
  );
  const labelled = notes.length === 0 ? area : { ...area, bottom: area.bottom + 16 };
  return scale.ticks
    .map((tick) => {
      const x = at(scale.position(tick));
      return (
        `<line class="axis" x1="${x}" x2="${x}" y1="${area.bottom}" y2="${area.bottom + 5}"/>` +
        `<text class="quiet" x="${x}" y="${area.bottom + 20}" text-anchor="middle">${scale.tickWords(tick)}</text>`
      );
    })
    .concat(notes, baseLine(area), axisLabel(axis.label, labelled))
    .join('');
}

/** Those that do not run into the one before them; where two would, the one further right is kept. */
function apart(notes: NonNullable<Axis['notes']>, scale: AxisScale): NonNullable<Axis['notes']> {
  let free = Infinity;
  return notes
    .toSorted((a, b) => b.at - a.at)
    .filter(({ at: value, text }) => {
      const half = (text.length * characterWidth) / 2;
      const fits = scale.position(value) + half <= free;
      if (fits) free = scale.position(value) - half;
      return fits;
    });
}

export function baseLine(area: PlotArea): string {
  return `<line class="axis" x1="${area.left}" x2="${area.right}" y1="${area.bottom}" y2="${area.bottom}"/>`;
}

export function axisLabel(label: string, area: PlotArea): string {
  const x = at((area.left + area.right) / 2);
  return `<text class="quiet" x="${x}" y="${area.bottom + 40}" text-anchor="middle">${escapeMarkup(label)}</text>`;
}

export function legend(
  rows: readonly LegendRow[],
  area: PlotArea,
  sample: (index: number, x: number, y: number) => string,
): string {
  return rows
    .flatMap((row, r) =>
      row.entries.map(({ name, index, x }) => {
        const y = area.bottom + 62 + r * 20;
        const left = Math.max(4, area.left - 48) + x;
        return `${sample(index, left, y)}<text x="${at(left + 30)}" y="${y}" dy=".32em">${escapeMarkup(name)}</text>`;
      }),
    )
    .join('');
}

/** Class of a series: colour, dash and marker repeat after `seriesStyles`. */
export function seriesClass(index: number): string {
  return `s${index % seriesStyles}`;
}
