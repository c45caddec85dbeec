import type { BarChart } from '@hushrec/report';

/** Signal beside noise for groups of titles, from the rarest to the most rated; noise is 1 in each. */
export function signalChart(groups: readonly (number | null)[]): BarChart {
  const last = groups.length - 1;
  const short = groups.map((ratio) => (ratio === null ? null : Number(ratio.toPrecision(2))));
  return {
    kind: 'bars',
    title: `Signal over noise by popularity, the rarest fifth first: ${short.map((ratio) => ratio ?? 'none').join(', ')}.`,
    y: { label: 'signal ÷ noise' },
    categoryLabel: 'titles by popularity, in fifths',
    categories: groups.map((_, at) => (at === 0 ? 'rarest' : at === last ? 'most rated' : String(at + 1))),
    series: [
      { name: 'signal', values: groups.map((ratio) => ratio ?? 0) },
      { name: 'noise', values: groups.map(() => 1), isNoise: true },
    ],
    notes: short.map((ratio) => (ratio === null ? 'noise' : `${ratio} ×`)),
  };
}
