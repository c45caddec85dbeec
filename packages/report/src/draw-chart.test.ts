import { describe, expect, it } from 'vitest';
import type { BarChart, LineChart, SpanChart } from './chart-spec.js';
import { chartCsv } from './csv.js';
import { drawChart } from './draw-chart.js';

const line: LineChart = {
  kind: 'line',
  title: 'RMSE against ε',
  description: 'Falls with ε.',
  x: { label: 'ε', scale: 'log', ticks: [1, 10] },
  y: { label: 'RMSE', min: 0, max: 1 },
  series: [
    {
      name: 'hush',
      points: [
        { x: 10, y: 0.25, low: 0.2, high: 0.3 },
        { x: 1, y: 0.5, low: 0.4, high: 0.6 },
      ],
    },
  ],
  references: [{ name: 'no privacy', y: 0.1 }],
};
const bars: BarChart = {
  kind: 'bars',
  title: 'Slices',
  y: { label: 'Recall' },
  categoryLabel: 'popularity',
  categories: ['rare', 'common'],
  series: [{ name: 'hush', values: [0.1, 0.4], low: [0.05, null], high: [0.15, null] }],
};
const numbersOf = (svg: string, pattern: RegExp) =>
  [...svg.matchAll(pattern)].map((match) => Number(match[1]));

describe('drawChart', () => {
  it('draws a line through its points in the order of x, at the heights of the axis', () => {
    const svg = drawChart(line, { id: 'a' });
    const points = /<polyline[^>]* points="([^"]+)"/
      .exec(svg)![1]
      .split(' ')
      .map((p) => p.split(',').map(Number));
    const gridOf = (label: string) =>
      Number(new RegExp(`y="([\\d.]+)" dy=".32em" text-anchor="end">${label}<`).exec(svg)![1]);
    expect(points[0][0]).toBeLessThan(points[1][0]);
    expect(points[0][1]).toBeCloseTo((gridOf('0') + gridOf('1')) / 2, 1);
    expect(points[1][1]).toBeCloseTo(gridOf('0') * 0.75 + gridOf('1') * 0.25, 1);
  });

  it('shows the spread as a band and names each point for tools that read it out', () => {
    const svg = drawChart(line, { id: 'a' });
    expect(svg).toContain('class="band"');
    expect(svg).toContain('<title>hush: 0.5 (0.4 to 0.6) at 1</title>');
    expect(svg).toContain('aria-labelledby="a-title"');
  });

  it('draws bars in proportion to their values', () => {
    const heights = numbersOf(
      drawChart(bars, { id: 'b' }),
      /class="bar" x="[\d.]+" y="[\d.]+" width="[\d.]+" height="([\d.]+)"/g,
    );
    expect(heights).toHaveLength(3); // two bars and the legend's sample
    expect(heights[1] / heights[0]).toBeCloseTo(4, 1);
  });

  it('leaves out what cannot be drawn and says when nothing is left', () => {
    const empty = {
      ...line,
      series: [
        {
          name: 'x',
          points: [
            { x: 0, y: 1 },
            { x: 1, y: NaN },
          ],
        },
      ],
    };
    const svg = drawChart(empty, { id: 'c' });
    expect(svg).toContain('Nothing measured yet.');
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  });

  it('is valid under a strict content security policy unless it stands alone', () => {
    for (const chart of [line, bars]) {
      expect(drawChart(chart, { id: 'd' })).not.toMatch(/<style| style=|<script|href=/);
      expect(drawChart(chart, { id: 'd', standalone: true })).toContain('<style>');
    }
  });

  it('escapes every text it is given', () => {
    const evil = '<script>"&';
    const svg = drawChart(
      { ...line, title: evil, description: evil, series: [{ name: evil, points: line.series[0].points }] },
      { id: 'e' },
    );
    expect(svg).not.toContain('<script>');
  });
});

describe('the part in which noise rules', () => {
  const noisy = { to: 3, words: ['too noisy', 'with 610 people'] };
  it('reaches from the left end to its value, dotted and in words', () => {
    const svg = drawChart({ ...line, noisy }, { id: 'f' });
    const [, left, width] = /class="noisy"><rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"/.exec(svg)!;
    const points = /<polyline[^>]* points="([^"]+)"/
      .exec(svg)![1]
      .split(' ')
      .map((p) => Number(p.split(',')[0]));
    const end = Number(left) + Number(width);
    expect((end - points[0]) / (points[1] - points[0])).toBeCloseTo(Math.log(3) / Math.log(10), 2);
    expect(svg).toContain('too noisy</text>');
    expect(svg.match(/<circle cx/g)!.length).toBeGreaterThan(50);
    expect(drawChart({ ...line, noisy }, { id: 'f' })).toBe(svg);
  });
  it('is left out where none of it is to be seen, and its words where they do not fit', () => {
    expect(drawChart({ ...line, noisy: { ...noisy, to: 0.01 } }, { id: 'f' })).not.toContain('class="noisy"');
    const narrow = drawChart({ ...line, noisy: { to: 3, words: ['x'.repeat(200)] } }, { id: 'f' });
    expect(narrow).toContain('class="noisy"');
    expect(narrow).not.toContain('xxx');
  });
});

it('leaves the heading out where it stands beside the chart, and keeps it for tools that read it out', () => {
  const svg = drawChart(line, { id: 'g', untitled: true });
  expect(svg).not.toContain('class="heading"');
  expect(svg).toContain('<title id="g-title">RMSE against ε</title>');
});

it('leaves out notes that would run into each other', () => {
  const notes = [
    { at: 1, text: 'a' },
    { at: 1.001, text: 'b' },
    { at: 10, text: 'c' },
  ];
  const svg = drawChart({ ...line, x: { ...line.x, notes } }, { id: 'h' });
  expect(['a', 'b', 'c'].map((text) => svg.includes(`>${text}</text>`))).toEqual([false, true, true]);
});

describe('a curve with marks', () => {
  const curve: LineChart = {
    ...line,
    references: [],
    series: [
      { name: 'after', points: line.series[0].points, marks: [{ x: 10, text: '10 → 0.25' }] },
      { name: 'nothing', points: [{ x: 1, y: 0 }], marks: [], isReference: true },
    ],
  };
  const svg = drawChart(curve, { id: 'i' });
  it('has a marker, a whisker and words where they are asked for, and a place for a cross-hair everywhere', () => {
    expect(svg.match(/class="whisker"/g)).toHaveLength(1);
    expect(svg.match(/class="unseen"/g)).toHaveLength(2);
    expect(svg.match(/data-x=/g)).toHaveLength(3);
    expect(svg).toContain('>10 → 0.25</text>');
  });
  it('draws what it is compared with as a reference', () => {
    expect(svg).toMatch(/<polyline class="reference r0"/);
    expect(svg.match(/class="mark"/g)).toHaveLength(2); // the marked point and the legend's sample
  });
});

it('draws bars of noise dotted, with words above each category', () => {
  const series = [bars.series[0], { name: 'noise', values: [1, 1], isNoise: true }];
  const svg = drawChart({ ...bars, series, notes: ['0.1 ×', '0.4 ×'] }, { id: 'j' });
  expect(svg.match(/class="noisy"/g)).toHaveLength(3); // two bars and the legend's sample
  expect(svg.match(/class="bar"/g)).toHaveLength(3);
  expect(svg).toContain('>0.4 ×</text>');
});

describe('spans', () => {
  const spans: SpanChart = {
    kind: 'spans',
    title: 'Noise over what one person can change',
    x: { label: 'times one person', scale: 'log', min: 1, max: 1000, ticks: [1, 10, 100, 1000] },
    words: { start: 'you', signal: 'everyone', number: 'noise ÷ you' },
    rows: [
      { name: 'counts', noise: 10, signal: 1000 },
      { name: 'total', noise: 0.5 },
    ],
  };
  const boxes = (svg: string, pattern: RegExp) =>
    [...svg.matchAll(pattern)].map(([, x, width]) => [Number(x), Number(width)]);
  it.each([320, 800])('reach from the start over noise to the signal, %d wide', (width) => {
    const svg = drawChart(spans, { id: 'k', width });
    const [noise] = boxes(svg, /class="noisy"><rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"/g);
    const [signal] = boxes(svg, /class="bar" x="([\d.]+)" y="[\d.]+" width="([\d.]+)"/g);
    expect(signal[0]).toBeCloseTo(noise[0] + noise[1], 1);
    expect(signal[1] / noise[1]).toBeCloseTo(2, 1); // two powers of ten beside one
    expect(svg).toContain('<title>counts: noise 10, everyone 1,000</title>');
    expect(svg).toContain('>0.5 ×</text>');
  });
  it('are listed as CSV', () => {
    expect(chartCsv(spans)).toBe('name,noise,everyone\r\ncounts,10,1000\r\ntotal,0.5,\r\n');
  });
});
