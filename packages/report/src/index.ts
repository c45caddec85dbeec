export type { Axis, BarChart, Chart, DrawOptions, LineChart, SpreadPoint } from './chart-spec.js';
export { chartStyle } from './chart-style.js';
export { chartCsv, tableCsv } from './csv.js';
export { drawChart } from './draw-chart.js';
export { escapeMarkup, fileNameOf, formatNumber } from './markup.js';
export { type Report, type ReportSection, renderReport } from './report.js';
export { columnsOf, type Table, tableHtml } from './table.js';
