import { shownEpsilon } from '@hushrec/model/words';
import { element } from '../build-element.js';
import { nearestToOne } from '../nearest-to-one.js';
import { signalChart } from '../pictures/signal-chart.js';
import type { Comparison } from '../server-interface.js';
import { fittedChart } from './fitted-chart.js';

/**
 * Signal beside noise by popularity of titles, of `hush` (or the first method that tells) at the ε nearest to
 * 1; nothing where no method tells.
 */
export function whoseTaste({ signals }: Pick<Comparison, 'signals'>): HTMLElement | undefined {
  const method = signals.find((each) => each.method === 'hush')?.method ?? signals[0]?.method;
  const own = signals.filter((each) => each.method === method);
  const near = nearestToOne(own.map(({ epsilon }) => epsilon));
  const values = own.find(({ epsilon }) => epsilon === near)?.values;
  if (values === undefined || near === undefined) return undefined;
  return element(
    'section',
    { class: 'card' },
    element('h2', {}, 'Whose taste comes through?'),
    element(
      'p',
      { class: 'small quiet' },
      `Titles by popularity, ${method} at ε = ${shownEpsilon(near)}. ${standOutWords(values)}`,
    ),
    fittedChart(signalChart(values), 300),
  );
}

/** In which groups of titles taste is more than noise. Titles that stand out are another measure: counts. */
export function standOutWords(values: readonly (number | null)[]): string {
  const lost = values.filter((value) => !(value !== null && value >= 1)).length;
  if (lost === 0) return 'Every fifth is above 1 ×: taste outweighs noise in all of them.';
  if (lost === values.length) return 'None is above 1 ×: all of it is mostly noise.';
  const which =
    values.length === 5 && values.slice(0, lost).every((value) => !(value !== null && value >= 1))
      ? lost === 1
        ? 'the rarest fifth'
        : `the ${['', '', 'two', 'three', 'four'][lost]} rarest fifths`
      : `${lost} of ${values.length} groups`;
  return `Above 1 × taste outweighs noise; in ${which} it does not.`;
}
