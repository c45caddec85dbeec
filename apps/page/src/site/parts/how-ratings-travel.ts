import { element } from '../build-element.js';
import { twoHalves, twoHalvesHeight } from '../pictures/two-halves.js';
import { fittedFigure } from './fitted-figure.js';

/** The picture of the two halves, with the names of who adds up where a charter says them. */
export function howRatingsTravel(names: readonly string[] = []): HTMLElement {
  const bodies = [names[0] ?? 'one organisation', names[1] ?? 'another'] as const;
  return element(
    'section',
    { class: 'card' },
    element('h2', {}, 'How your ratings travel'),
    fittedFigure(twoHalvesHeight, (width) => twoHalves(bodies, width)),
    names.length > 2
      ? element(
          'p',
          { class: 'small quiet' },
          `${names.length} add up in this run: ${names.join(', ')}. The picture shows two of them.`,
        )
      : null,
  );
}
