// @internal: for the packages beside this one, not an interface (docs/policy.md).

export type { BarChart, Chart, LineChart, SpanChart, SpreadPoint } from './chart-spec.js';
export { chartStyle } from './chart-style.js';
export { chartCsv } from './csv.js';
export { drawChart } from './draw-chart.js';
export { fileNameOf, formatNumber } from './markup.js';
export { type Report, type ReportFont, type ReportSection, renderReport } from './report.js';
export { columnsOf, type Table } from './table.js';
