import { verdictWords } from '@hushrec/model/usefulness';
import type { PlannedData } from './forecast.js';
import type { ForecastBasis, ForecastRange, Range } from './forecast-range.js';
import type { QualityRange } from './quality-range.js';

const count = new Intl.NumberFormat('en');

/** A forecast in sentences: what stands out, how much is noise, what quality to expect. */
export function forecastWords(data: PlannedData, range: ForecastRange): string[] {
  return [
    `${verdictOfRange(range)}: about ${standingWords(data, range)} will stand out from the noise.`,
    noiseOfRange(range),
    qualityWords(data, range.quality),
  ];
}

/** How many of the items. */
export function standingWords(
  { items }: Pick<PlannedData, 'items'>,
  { shareAboveNoise }: ForecastRange,
  called = 'items',
): string {
  const above = between(shareAboveNoise, (share) => count.format(Math.round(twoDigits(share * items))));
  return `${above} of ${count.format(items)} ${called} (${between(shareAboveNoise, percent)})`;
}

export function noiseOfRange({ head, tail }: ForecastRange): string {
  return `Noise over signal: ${between(head, short)} for the most rated tenth, ${between(tail, short)} for the least rated half.`;
}

/** The verdict, or the two that it may be. */
function verdictOfRange({ verdicts }: Pick<ForecastRange, 'verdicts'>): string {
  const [least, most] = verdicts.map((verdict) => verdictWords({ verdict }));
  return least === most ? least : `${least} or ${most.toLowerCase()}`;
}

/** What it rests on, in a sentence. */
export function basisWords(basis: ForecastBasis): string {
  switch (basis) {
    case 'released counts':
      return 'From the counts that the last model of these people released.';
    case 'given shape':
      return 'For a catalogue that is used as unevenly as you said.';
    case 'known catalogues':
      return 'The ranges cover the known catalogues: how unevenly yours is used is not known before its first model.';
    default:
      return basis satisfies never;
  }
}

/** So many people, or from so many to so many. */
export function peopleWords(people: Range): string {
  return between(people, (each) => count.format(twoDigits(each)));
}

/** So much ε, or from so much to so much. */
export function epsilonWords(epsilon: Range): string {
  return between(epsilon, short);
}

/** The range of quality and where it was read off. */
export function qualityWords(
  { feedback }: Pick<PlannedData, 'feedback'>,
  { low, high, from }: QualityRange,
): string {
  if (from.length === 0) return 'Quality: that of the bestseller list, which everybody gets.';
  const start = feedback === 'likes' ? 'the bestseller list' : 'one average for everything';
  const way = `${percent(low)} to ${percent(high)} of the way from ${start} to a model without privacy`;
  return `Quality: ${way}${low < 0 ? ' (below 0: worse than that start)' : ''}, as on ${from.map(named).join(', ')}.`;
}

/** A set in a list of sets: what follows its first comma goes in brackets. */
function named(set: string): string {
  const [name, ...rest] = set.replace(/^generated/, 'made-up data').split(', ');
  return rest.length === 0 ? name : `${name} (${rest.join(', ')})`;
}

function between({ low, high }: Range, words: (value: number) => string): string {
  return words(low) === words(high) ? words(low) : `${words(low)} to ${words(high)}`;
}

function twoDigits(value: number): number {
  return Number(value.toPrecision(2));
}

function percent(share: number): string {
  if (share > 0 && share < 0.0005) return '< 0.1%';
  return `${Number((100 * share).toFixed(Math.abs(share) < 0.1 ? 1 : 0))}%`.replace('-', '−');
}

function short(value: number): string {
  return String(twoDigits(value));
}
