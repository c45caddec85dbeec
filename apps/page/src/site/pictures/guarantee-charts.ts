import { percentWords, posteriorOf } from '@hushrec/model/words';
import type { LineChart, SpanChart } from '@hushrec/report';

const percent = (share: number) => Number((100 * share).toFixed(1));

/** How sure before, how sure after, for every starting point. */
export function posteriorChart(epsilon: number): LineChart {
  const words = percentWords(posteriorOf(0.5, epsilon));
  const before = Array.from({ length: 51 }, (_, at) => at / 50);
  const ends = { min: 0, max: 100, ticks: [0, 50, 100] };
  return {
    kind: 'line',
    title: `From 50% sure to at most ${words} sure; the curve gives every other starting point.`,
    x: { label: 'sure before, %', ...ends },
    y: { label: '', ...ends },
    series: [
      {
        name: 'sure after, at most, %',
        points: before.map((share) => {
          const after = percent(posteriorOf(share, epsilon));
          return { x: percent(share), y: after, low: percent(share), high: after };
        }),
        marks: [{ x: 50, text: `50 → ${words}` }],
      },
      { name: 'learns nothing', points: [0, 100].map((x) => ({ x, y: x })), marks: [], isReference: true },
    ],
  };
}

/** A kind of released number, in units of what one person can change. */
export interface ReleaseBar {
  readonly name: string;
  /** Noise over what one person can change. */
  readonly ratio: number;
  readonly count: number;
  /**
   * What everyone adds up to over what one person can change, for the most counted titles; absent where that
   * is not known.
   */
  readonly everyone?: number;
}

/** You, the noise, and everyone together, on a scale of powers of ten. */
export function releaseChart(releases: readonly ReleaseBar[]): SpanChart {
  const said = releases.map(({ name, ratio }) => `${name}: ${Number(ratio.toPrecision(3))} times`).join('; ');
  const largest = Math.max(10, ...releases.map(({ ratio, everyone }) => Math.max(ratio, everyone ?? 0)));
  return {
    kind: 'spans',
    title: `Noise over what one person can change. ${said}`,
    x: {
      label: 'times one person (log scale)',
      scale: 'log',
      min: 1,
      max: largest,
      ticks: Array.from({ length: Math.floor(Math.log10(largest)) + 1 }, (_, power) => 10 ** power),
    },
    words: { start: 'you', signal: 'everyone together', number: 'noise ÷ you' },
    rows: releases.map(({ name, ratio, count, everyone }) => ({
      name: count > 1 ? `${name} ×${count}` : name,
      noise: ratio,
      ...(everyone !== undefined && { signal: everyone }),
    })),
  };
}
