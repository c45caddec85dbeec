import { axisScale } from './axis-scale.js';
import {
  axisLabel,
  baseLine,
  defaultWidth,
  frame,
  legend,
  legendRows,
  plotArea,
  seriesClass,
  verticalAxis,
} from './chart-frame.js';
import type { BarChart, DrawOptions } from './chart-spec.js';
import { coordinate as at, escapeMarkup, formatNumber } from './markup.js';

/** Draws grouped bars from zero, with a line for the spread where it is known. */
export function drawBarChart(chart: BarChart, options: DrawOptions): string {
  const width = options.width ?? defaultWidth;
  const rows = legendRows(
    chart.series.map(({ name }) => name),
    width - 40,
  );
  const area = plotArea(options, rows);
  const measured = chart.series
    .flatMap(({ values, low, high }) => [...values, ...(low ?? []), ...(high ?? [])])
    .filter((value): value is number => value !== null && Number.isFinite(value));
  const y = axisScale({ ...chart.y, scale: 'linear' }, [0, ...measured], area.bottom, area.top, 6);
  const zero = y.position(Math.min(Math.max(0, y.min), y.max));

  const slot = (area.right - area.left) / Math.max(1, chart.categories.length);
  const barWidth = Math.min(46, (slot * 0.78) / Math.max(1, chart.series.length));
  const groups = chart.categories.map((category, c) => {
    const middle = area.left + slot * (c + 0.5);
    const start = middle - (barWidth * chart.series.length) / 2;
    const bars = chart.series.map(({ name, values, low, high }, s) => {
      const value = values[c] ?? null;
      if (value === null || !Number.isFinite(value)) return '';
      const left = start + s * barWidth;
      const top = y.position(Math.min(Math.max(value, y.min), y.max));
      const [from, to] = [low?.[c] ?? null, high?.[c] ?? null];
      const spread =
        from !== null && to !== null && Number.isFinite(from) && Number.isFinite(to)
          ? `<line class="spread" x1="${at(left + barWidth / 2)}" x2="${at(left + barWidth / 2)}" y1="${at(y.position(from))}" y2="${at(y.position(to))}"/>`
          : '';
      return (
        `<g class="${seriesClass(s)}"><title>${escapeMarkup(`${name}, ${category}: ${formatNumber(value)}`)}</title>` +
        `<rect class="bar" x="${at(left + 1)}" y="${at(Math.min(top, zero))}" width="${at(Math.max(1, barWidth - 2))}" height="${at(Math.max(0.5, Math.abs(zero - top)))}"/>${spread}</g>`
      );
    });
    return `${bars.join('')}<text class="quiet" x="${at(middle)}" y="${area.bottom + 20}" text-anchor="middle">${escapeMarkup(category)}</text>`;
  });
  const content =
    verticalAxis(y, chart.y, area) +
    baseLine(area) +
    groups.join('') +
    axisLabel(chart.categoryLabel, area) +
    legend(
      rows,
      area,
      (index, left, top) =>
        `<g class="${seriesClass(index)}"><rect class="bar" x="${at(left + 6)}" y="${top - 6}" width="16" height="12"/></g>`,
    );
  return frame(options, chart.title, chart.description, content);
}
