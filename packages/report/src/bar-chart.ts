import { axisScale } from './axis-scale.js';
import {
  axisLabel,
  baseLine,
  defaultWidth,
  frame,
  legend,
  legendRows,
  type PlotArea,
  plotArea,
  seriesClass,
  verticalAxis,
  wishedTicks,
} from './chart-frame.js';
import type { BarChart, DrawOptions } from './chart-spec.js';
import { coordinate as at, escapeMarkup, formatNumber } from './markup.js';
import { noisyBox } from './noisy-part.js';

/** Height of the words above the highest bar. */
const lineOfNotes = 12;

/** Draws grouped bars from zero, with a line for the spread where it is known. */
export function drawBarChart(chart: BarChart, options: DrawOptions): string {
  const width = options.width ?? defaultWidth;
  const rows = legendRows(
    chart.series.map(({ name }) => name),
    width - 40,
  );
  const measured = chart.series
    .flatMap(({ values, low, high }) => [...values, ...(low ?? []), ...(high ?? [])])
    .filter((value): value is number => value !== null && Number.isFinite(value));
  const heights = [0, ...measured];
  const plot = plotArea(options, rows, chart.y, heights);
  const area = chart.notes === undefined ? plot : { ...plot, top: plot.top + lineOfNotes };
  const y = axisScale({ ...chart.y, scale: 'linear' }, heights, area.bottom, area.top, wishedTicks);
  const zero = y.position(Math.min(Math.max(0, y.min), y.max));

  const slot = (area.right - area.left) / Math.max(1, chart.categories.length);
  const barWidth = Math.min(46, (slot * 0.78) / Math.max(1, chart.series.length));
  const groups = chart.categories.map((category, c) => {
    const middle = area.left + slot * (c + 0.5);
    const start = middle - (barWidth * chart.series.length) / 2;
    let highest = zero;
    const bars = chart.series.map(({ name, values, low, high, isNoise }, s) => {
      const value = values[c] ?? null;
      if (value === null || !Number.isFinite(value)) return '';
      const left = start + s * barWidth;
      const top = y.position(Math.min(Math.max(value, y.min), y.max));
      highest = Math.min(highest, top);
      const box = {
        ...{ left: left + 1, right: left + Math.max(2, barWidth - 1) },
        ...{ top: Math.min(top, zero), bottom: Math.max(top, zero, Math.min(top, zero) + 0.5) },
      };
      const [from, to] = [low?.[c] ?? null, high?.[c] ?? null];
      const spread =
        from !== null && to !== null && Number.isFinite(from) && Number.isFinite(to)
          ? `<line class="spread" x1="${at(left + barWidth / 2)}" x2="${at(left + barWidth / 2)}" y1="${at(y.position(from))}" y2="${at(y.position(to))}"/>`
          : '';
      return (
        `<g class="${seriesClass(s)}" data-x="${c}"><title>${escapeMarkup(`${name}, ${category}: ${formatNumber(value)}`)}</title>` +
        `${spread}${isNoise === true ? noisyBox(box, c + 1) : bar(box)}</g>`
      );
    });
    const note =
      chart.notes === undefined
        ? ''
        : `<text class="name" x="${at(middle)}" y="${at(highest - 7)}" text-anchor="middle">${escapeMarkup(chart.notes[c])}</text>`;
    return `${bars.join('')}${note}<text class="quiet" x="${at(middle)}" y="${area.bottom + 20}" text-anchor="middle">${escapeMarkup(category)}</text>`;
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
        `<g class="${seriesClass(index)}">${(chart.series[index].isNoise === true ? (box: PlotArea) => noisyBox(box, 9, 24) : bar)({ left: left + 6, right: left + 22, top: top - 6, bottom: top + 6 })}</g>`,
    );
  return frame(options, chart.title, chart.description, content);
}

function bar({ left, right, top, bottom }: PlotArea): string {
  return `<rect class="bar" x="${at(left)}" y="${at(top)}" width="${at(right - left)}" height="${at(bottom - top)}"/>`;
}
