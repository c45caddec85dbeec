import { drawBarChart } from './bar-chart.js';
import type { Chart, DrawOptions } from './chart-spec.js';
import { drawLineChart } from './line-chart.js';
import { drawSpanChart } from './span-chart.js';

/**
 * A chart as SVG text. The result has no script, no reference to anything outside and no inline style
 * attribute, so it is valid in a page with a strict content security policy. Cost O(points).
 */
export function drawChart(chart: Chart, options: DrawOptions): string {
  switch (chart.kind) {
    case 'line':
      return drawLineChart(chart, options);
    case 'bars':
      return drawBarChart(chart, options);
    case 'spans':
      return drawSpanChart(chart, options);
    default:
      return chart satisfies never;
  }
}
