import { verdictWords } from '../usefulness/usefulness-words.js';
import type { Forecast, PlannedData } from './forecast.js';
import type { QualityRange } from './quality-range.js';

const count = new Intl.NumberFormat('en');

/** A forecast in sentences: what stands out, how much is noise, what quality to expect. */
export function forecastWords(data: PlannedData, forecast: Forecast, range: QualityRange): string[] {
  const above = Math.round(forecast.shareAboveNoise * data.items);
  const { head, tail } = forecast.counts;
  return [
    `${verdictWords(forecast)}: about ${count.format(above)} of ${count.format(data.items)} items (${percent(forecast.shareAboveNoise)}) will stand out of the noise.`,
    `Noise over signal: ${ratio(head)} for the most rated tenth, ${ratio(tail)} for the least rated half.`,
    qualityWords(data, range),
  ];
}

/** The range of quality and where it was read off. */
export function qualityWords(
  { feedback }: Pick<PlannedData, 'feedback'>,
  { low, high, from }: QualityRange,
): string {
  const start = feedback === 'likes' ? 'the bestseller list' : 'one average for everything';
  const way = `${percent(low)} to ${percent(high)} of the way from ${start} to a model without privacy`;
  return `Quality: ${way}${low < 0 ? ' (below 0: worse than that start)' : ''}, as on ${from.join(', ')}.`;
}

function percent(share: number): string {
  if (share > 0 && share < 0.0005) return '< 0.1 %';
  return `${Number((100 * share).toFixed(Math.abs(share) < 0.1 ? 1 : 0))} %`.replace('-', '−');
}

function ratio(value: number): string {
  return String(Number(value.toPrecision(2)));
}
