// docs/pictures/quality.svg: what privacy costs in quality on MovieLens 1M, from the recorded runs of `npm
// run plan:reference`. `node tools/quality-chart.mjs`.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { referenceRuns } from '@hushrec/planner';
import { drawChart } from '@hushrec/report';

const run = referenceRuns.find(({ name, feedback }) => name === 'MovieLens 1M' && feedback === 'likes');
const chart = {
  kind: 'line',
  title: 'Recall@20 against ε, MovieLens 1M',
  description: `hush, likes, whole people protected, δ = ${run.delta}; ${run.runs ? `mean of ${run.runs} runs` : 'one run'} a point.`,
  x: {
    label: 'ε (log scale): smaller protects more',
    scale: 'log',
    ticks: run.points.map(({ epsilon }) => epsilon),
  },
  y: { label: 'recall@20 (higher is better)', min: 0.15, max: 0.36 },
  series: [
    {
      name: 'hush',
      points: run.points.map(({ epsilon, quality, ...spread }) => ({ x: epsilon, y: quality, ...spread })),
    },
  ],
  references: [
    { name: `bestseller list, ${run.baseline}`, y: run.baseline },
    { name: `no privacy (ials), ${run.withoutPrivacy}`, y: run.withoutPrivacy },
  ],
};
writeFileSync(
  fileURLToPath(new URL('../docs/pictures/quality.svg', import.meta.url)),
  drawChart(chart, { id: 'quality', width: 720, height: 360, standalone: true }),
);
