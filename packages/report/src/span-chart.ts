import { axisScale } from './axis-scale.js';
import { defaultWidth, frame, horizontalAxis, type PlotArea } from './chart-frame.js';
import type { DrawOptions, SpanChart } from './chart-spec.js';
import { coordinate as at, escapeMarkup, formatNumber } from './markup.js';
import { noisyBox } from './noisy-part.js';

/** From this width on, names stand at the left of their rows; above them where there is less room. */
const wideFrom = 480;
const barHeight = 16;
const characterWidth = 7.2;

/** Draws rows of noise and of what reaches beyond it, from one start. Values before the start count as it. */
export function drawSpanChart(chart: SpanChart, options: DrawOptions): string {
  const width = options.width ?? defaultWidth;
  const isWide = width > wideFrom;
  const [step, above] = isWide ? [30, 0] : [44, 18];
  const top = (options.untitled === true ? 0 : 30) + 28;
  const area: PlotArea = {
    left: isWide ? 200 : 4,
    right: width - 76,
    top,
    bottom: top + chart.rows.length * step,
  };
  const x = axisScale(
    chart.x,
    chart.rows.flatMap(({ noise, signal }) => [noise, signal ?? noise]),
    area.left,
    area.right,
    5,
  );
  const place = (value: number) => x.position(Math.max(x.min, value));
  const rows = chart.rows.map(({ name, noise, signal }, row) => {
    const y = top + above + row * step;
    const [from, to] = [place(noise), signal === undefined ? undefined : place(signal)];
    const box = { left: area.left, right: Math.max(area.left + 3, from), top: y, bottom: y + barHeight };
    const solid =
      to === undefined || to <= from
        ? ''
        : `<rect class="bar" x="${at(from)}" y="${y}" width="${at(to - from)}" height="${barHeight}"/>`;
    const said = `${name}: noise ${formatNumber(noise)}${signal === undefined ? '' : `, ${chart.words.signal} ${formatNumber(signal)}`}`;
    return (
      `<g class="s0"><title>${escapeMarkup(said)}</title>${noisyBox(box, row + 1)}${solid}</g>` +
      `<text x="${isWide ? 0 : area.left}" y="${isWide ? y + 13 : y - 5}">${escapeMarkup(name)}</text>` +
      `<text x="${width}" y="${y + 13}" text-anchor="end">${formatNumber(Number(noise.toPrecision(3)))} ×</text>`
    );
  });
  const { start, signal, number } = chart.words;
  const afterStart = area.left + 10 + start.length * characterWidth;
  const heads =
    `<text class="name" x="${area.left}" y="${top - 12}">${escapeMarkup(start)}</text>` +
    `<text class="noisy-word" x="${at(afterStart)}" y="${top - 12}">noise</text>` +
    (chart.rows.some((row) => row.signal !== undefined)
      ? `<g class="s0"><text class="name" x="${at(afterStart + 48)}" y="${top - 12}">${escapeMarkup(signal)}</text></g>`
      : '') +
    `<text class="quiet" x="${width}" y="${top - 12}" text-anchor="end">${escapeMarkup(number)}</text>` +
    `<path class="start" d="M${area.left} ${top - 5}V${area.bottom}"/>`;
  return frame(
    { ...options, height: area.bottom + 50 },
    chart.title,
    chart.description,
    rows.join('') + heads + horizontalAxis(x, chart.x, area),
  );
}
