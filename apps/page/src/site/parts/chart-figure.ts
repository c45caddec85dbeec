import { type BarChart, chartCsv, drawChart, fileNameOf, type LineChart, type Table } from '@hushrec/report';
import { button, element, svgElement } from '../build-element.js';
import { crossHair } from './cross-hair.js';
import { dataTable } from './data-table.js';
import { pngOf, saveFile } from './save-file.js';

/** What is downloaded is as wide as a page; on screen a chart is as wide as its place. */
const size = { width: 960, height: 440 };
let figures = 0;
type Chart = LineChart | BarChart;

/**
 * A chart as wide as its place, with its numbers as a table, a cross-hair, zoom (drag, or buttons for the
 * keyboard) and downloads; `untitled` where its title stands over it.
 */
export function chartFigure(chart: Chart, title: 'titled' | 'untitled' = 'titled'): HTMLElement {
  const id = `figure-${++figures}`;
  const drawing = element('div', { class: 'zoomable' });
  let shown = chart;
  let width = size.width;
  const draw = () => {
    const height = width < 560 ? 380 : size.height;
    drawing.replaceChildren(
      svgElement(drawChart(shown, { id, width, height, untitled: title === 'untitled' })),
    );
  };
  const show = (next: Chart) => {
    shown = next;
    draw();
  };
  draw();
  new ResizeObserver(([{ contentRect }]) => {
    const now = Math.round(contentRect.width);
    if (now < 1 || now === width) return;
    width = now;
    draw();
  }).observe(drawing);
  const zoomButtons =
    chart.kind === 'line'
      ? [
          button('Zoom in', () => show(zoomed(shown as LineChart, chart, 0.7)), { class: 'plain' }),
          button('Zoom out', () => show(zoomed(shown as LineChart, chart, 1 / 0.7)), { class: 'plain' }),
          button('Show all', () => show(chart), { class: 'plain' }),
        ]
      : [];
  if (chart.kind === 'line') {
    zoomByDragging(drawing, () => shown as LineChart, show);
  }
  crossHair(drawing);
  const downloads = downloadButtons(chart, () => drawChart(shown, { id, ...size, standalone: true }));
  return element(
    'figure',
    {},
    drawing,
    element(
      'figcaption',
      { class: 'small quiet' },
      chart.description ?? '',
      element('span', { class: 'row downloads' }, zoomButtons, element('span', {}, 'Download:'), downloads),
    ),
    element(
      'details',
      {},
      element('summary', { class: 'small' }, 'The numbers'),
      dataTable(chartTable(chart), chart.title),
    ),
  );
}

/** Its numbers, and the drawing as it is shown now. */
function downloadButtons(chart: Chart, standalone: () => string): HTMLElement[] {
  const name = fileNameOf(chart.title);
  const saving = (kind: string, save: () => unknown) =>
    button(kind.toUpperCase(), save, { class: 'plain', 'aria-label': `Download ${name}.${kind}` });
  return [
    saving('csv', () => saveFile(`${name}.csv`, new Blob([chartCsv(chart)], { type: 'text/csv' }))),
    saving('svg', () => saveFile(`${name}.svg`, new Blob([standalone()], { type: 'image/svg+xml' }))),
    saving('png', async () => saveFile(`${name}.png`, await pngOf(standalone(), size.width, size.height))),
  ];
}

function chartTable(chart: Chart): Table {
  if (chart.kind === 'line') {
    return {
      columns: [
        { label: 'series' },
        { label: chart.x.label },
        { label: chart.y.label },
        { label: 'low' },
        { label: 'high' },
      ],
      rows: [
        ...chart.series.flatMap(({ name, points }) =>
          points.map(({ x, y, low, high }) => [name, x, y, low ?? null, high ?? null]),
        ),
        ...(chart.references ?? []).map(({ name, y }) => [name, null, y, null, null]),
      ],
    };
  }
  return {
    columns: [
      { label: chart.categoryLabel },
      ...chart.series.map(({ name }) => ({ label: name, align: 'right' as const })),
    ],
    rows: chart.categories.map((category, c) => [
      category,
      ...chart.series.map(({ values }) => values[c] ?? null),
    ]),
  };
}

/** The vertical axis around its middle, `factor` as wide; never wider than all. */
function zoomed(shown: LineChart, all: LineChart, factor: number): LineChart {
  const values = all.series
    .flatMap(({ points }) => points.flatMap(({ y, low, high }) => [y, low ?? y, high ?? y]))
    .concat((all.references ?? []).map(({ y }) => y));
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const from = shown.y.min ?? least;
  const to = shown.y.max ?? most;
  const middle = (from + to) / 2;
  const half = ((to - from) / 2) * factor;
  if (half >= (most - least) / 2) return all;
  return { ...shown, y: { ...shown.y, min: middle - half, max: middle + half } };
}

/** Dragging over the chart selects a range of x to look at. */
function zoomByDragging(place: HTMLElement, current: () => LineChart, show: (chart: Chart) => void): void {
  let start: number | undefined;
  const selection = element('div', { class: 'selection', hidden: true });
  const placeOf = (event: PointerEvent) => {
    const box = place.getBoundingClientRect();
    return { pixel: event.clientX - box.left };
  };
  /** Where the data lies within the picture, in pixels of the screen. */
  const plot = () => {
    const clip = place.querySelector('clipPath rect')!;
    return {
      left: Number(clip.getAttribute('x')) + 8,
      span: Number(clip.getAttribute('width')) - 16,
    };
  };
  place.addEventListener('pointerdown', (event) => {
    start = placeOf(event).pixel;
    place.append(selection);
  });
  place.addEventListener('pointermove', (event) => {
    if (start === undefined) return;
    const { pixel } = placeOf(event);
    selection.hidden = false;
    selection.style.cssText = '';
    selection.style.setProperty('left', `${Math.min(start, pixel)}px`);
    selection.style.setProperty('width', `${Math.abs(pixel - start)}px`);
    selection.style.setProperty('top', '0');
    selection.style.setProperty('bottom', '0');
  });
  place.addEventListener('pointerup', (event) => {
    if (start === undefined) return;
    const from = start;
    const { pixel } = placeOf(event);
    start = undefined;
    selection.remove();
    if (Math.abs(pixel - from) < 12) return;
    const { left, span } = plot();
    const ends = [from, pixel]
      .map((at) => Math.min(1, Math.max(0, (at - left) / span)))
      .sort((a, b) => a - b);
    show(withinX(current(), ends[0], ends[1]));
  });
}

/** The part of the horizontal axis between two fractions of what is shown. */
function withinX(chart: LineChart, from: number, to: number): LineChart {
  const values = chart.series
    .flatMap(({ points }) => points.map(({ x }) => x))
    .filter((x) => chart.x.scale !== 'log' || x > 0);
  const low = chart.x.min ?? Math.min(...values);
  const high = chart.x.max ?? Math.max(...values);
  const at = (fraction: number) =>
    chart.x.scale === 'log' ? low * (high / low) ** fraction : low + (high - low) * fraction;
  return { ...chart, x: { ...chart.x, min: at(from), max: at(to) } };
}
