import type { LineChart } from '@hushrec/report';

/** What to expect at an ε: parts of the way from the start to no privacy. */
export interface ForecastPoint {
  readonly epsilon: number;
  readonly low: number;
  readonly high: number;
}

const ticks = [0.1, 0.3, 1, 3, 8, 20];
const percent = (share: number) => Math.round(100 * share);

/** The range of quality against ε, between what needs nobody's taste and no privacy, with one ε marked. */
export function forecastChart(points: readonly ForecastPoint[], at: ForecastPoint, start: string): LineChart {
  const lowest = Math.max(-60, Math.min(-25, percent(points[0]?.low ?? 0)));
  const shown = (way: number) => Math.max(lowest, Math.min(110, percent(way)));
  const marked = { ...at, epsilon: Math.min(20, Math.max(0.1, at.epsilon)) };
  const words = `${percent(at.low)}% to ${percent(at.high)}%`;
  return {
    kind: 'line',
    title: `Forecast at ε = ${at.epsilon}: ${words} of the way from ${start} to no privacy.`,
    x: { label: 'ε', scale: 'log', min: 0.1, max: 20, ticks },
    y: { label: '% of the way', min: lowest, max: 110, ticks: [0, 50, 100] },
    series: [
      {
        name: 'forecast',
        points: [...points, marked].map(({ epsilon, low, high }) => ({
          x: epsilon,
          y: shown((low + high) / 2),
          low: shown(low),
          high: shown(high),
        })),
        marks: [{ x: marked.epsilon, text: words }],
      },
    ],
    references: [
      { name: 'no privacy', y: 100 },
      { name: start, y: 0 },
    ],
  };
}
