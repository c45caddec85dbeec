import type { AxisScale } from './axis-scale.js';
import type { PlotArea } from './chart-frame.js';
import type { LineChart } from './chart-spec.js';
import { coordinate as at, escapeMarkup } from './markup.js';

/** Square units of the chart for each dot. */
const areaOfDot = 260;
const lineHeight = 17;
const characterWidth = 6.8;

/** The part of the horizontal axis in which noise rules, dotted; drawn below everything else. */
export function noisyPart(noisy: LineChart['noisy'], x: AxisScale, area: PlotArea): string {
  const right = rightEnd(noisy, x, area);
  if (right === undefined) return '';
  return noisyBox({ ...area, right }, 0, areaOfDot);
}

/** A dotted box; `seed` sets its dots apart from those of others. */
export function noisyBox(area: PlotArea, seed: number, areaOfOne = 80): string {
  const [width, height] = [area.right - area.left, area.bottom - area.top];
  const dots = Array.from({ length: Math.floor((width * height) / areaOfOne) }, (_, index) => {
    const dot = index + 1000 * seed;
    const [a, b] = [scattered(dot, 12.9898), scattered(dot, 39.425)];
    return `<circle cx="${at(area.left + 3 + a * (width - 6))}" cy="${at(area.top + 3 + b * (height - 6))}" r="${(0.7 + 0.9 * scattered(dot, 78.233)).toFixed(1)}"/>`;
  });
  return `<g class="noisy"><rect x="${at(area.left)}" y="${at(area.top)}" width="${at(width)}" height="${at(height)}"/>${dots.join('')}</g>`;
}

/** What that part means, on a plate of its own that covers as few points as it can. */
export function noisyWords(
  noisy: LineChart['noisy'],
  x: AxisScale,
  area: PlotArea,
  points: readonly { readonly x: number; readonly y: number }[],
): string {
  const right = rightEnd(noisy, x, area);
  if (noisy === undefined || right === undefined) return '';
  const width = 20 + characterWidth * Math.max(...noisy.words.map((line) => line.length));
  const height = 12 + lineHeight * noisy.words.length;
  const left = area.left + 10;
  if (left + width > area.right) return '';
  const rows = Math.max(1, Math.floor((area.bottom - area.top - height) / 12));
  const tops = Array.from({ length: rows }, (_, row) => area.top + 10 + 12 * row);
  const covered = (top: number) =>
    points.filter((p) => p.x > left - 8 && p.x < left + width + 8 && p.y > top - 8 && p.y < top + height + 8)
      .length;
  const top = tops.reduce((best, each) => (covered(each) < covered(best) ? each : best));
  const lines = noisy.words.map(
    (line, row) =>
      `<text class="${row === 0 ? 'noisy-word' : 'quiet'}" x="${left + 10}" y="${top + 18 + lineHeight * row}">${escapeMarkup(line)}</text>`,
  );
  return `<rect class="plate" x="${left}" y="${top}" width="${at(width)}" height="${height}" rx="8"/>${lines.join('')}`;
}

/** Where it ends within the picture; undefined where none of it is to be seen. */
function rightEnd(noisy: LineChart['noisy'], x: AxisScale, area: PlotArea): number | undefined {
  if (noisy === undefined || !(noisy.to > x.min)) return undefined;
  return Math.min(area.right, x.position(noisy.to));
}

/** The same places every time. */
function scattered(dot: number, factor: number): number {
  return Math.abs(Math.sin((dot + 1) * factor) * 43758.5453) % 1;
}
