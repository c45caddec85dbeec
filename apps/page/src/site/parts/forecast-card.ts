import {
  basisWords,
  forecastRange,
  forecastWords,
  type PlannedData,
  qualityOverEpsilon,
  referenceRuns,
} from '@hushrec/planner';
import { element } from '../build-element.js';
import { forecastChart } from '../pictures/forecast-chart.js';
import { standOutStrip } from '../pictures/measures.js';
import { cardHead } from './card-head.js';
import { fittedChart } from './fitted-chart.js';

const count = new Intl.NumberFormat('en');
const curveEpsilons = Array.from({ length: 24 }, (_, at) => 0.1 * 200 ** (at / 23));

/** What can be expected of a model before any rating is read: quality against ε, and what stands out. */
export function forecastCard() {
  const place = element('section', {
    class: 'card',
    'aria-label': 'What to expect',
    'aria-live': 'polite',
  });
  return {
    element: place,
    hide: () => {
      place.hidden = true;
    },
    show: (data: PlannedData, epsilon: number, delta: number) => {
      place.hidden = !(epsilon > 0 && delta > 0);
      if (place.hidden) return;
      const range = forecastRange(data, epsilon, delta, referenceRuns);
      const curve = qualityOverEpsilon(data, curveEpsilons, delta, referenceRuns).map((quality, at) => ({
        epsilon: curveEpsilons[at],
        ...quality,
      }));
      place.replaceChildren(
        cardHead('What to expect', element('span', { class: 'chip' }, 'forecast, no ratings read')),
        element(
          'p',
          { class: 'small quiet' },
          `Quality against ε, for about ${count.format(data.people)} people with ${count.format(Math.round(data.ratingsPerPerson))} ratings each.`,
        ),
        fittedChart(
          forecastChart(
            curve,
            { epsilon, ...range.quality },
            data.feedback === 'likes' ? 'bestseller list' : 'one average for all',
          ),
          260,
        ),
        standOutStrip(range.shareAboveNoise.low, range.shareAboveNoise.high),
        ...forecastWords(data, range).map((line) => element('p', { class: 'small' }, line)),
        element('p', { class: 'small quiet' }, basisWords(range.basis)),
      );
    },
  };
}
