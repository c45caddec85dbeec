import { shownEpsilon, strengthOf } from '@hushrec/model/words';
import { element } from './build-element.js';
import type { ModelSummary } from './server-interface.js';

const protectedThing: Readonly<Record<string, string>> = {
  user: '',
  'rating-presence': ' per rating',
  'rating-value': ' per rating’s value',
};

type Shown = Pick<ModelSummary, 'unit' | 'epsilon' | 'simulation'>;

/** "ε = 1", what it protects where that is not a person, and its word where it is more than clear. */
export function guaranteeWords({ unit, epsilon, simulation }: Shown): string {
  if (epsilon === null) return 'no privacy';
  const strength = strengthOf(epsilon);
  const word = strength === 'weak' || strength === 'mostly formal' ? `, ${strength}` : '';
  const words = `ε = ${shownEpsilon(epsilon)}${protectedThing[unit] ?? ` per ${unit}`}${word}`;
  return simulation ? `${words}, simulation: protects nobody` : words;
}

/** In the ruler's tint: filled up to 1, soft up to 3, amber above, outlined where there is none. */
export function guaranteeChip(model: Shown): HTMLElement {
  const tint =
    model.epsilon === null
      ? 'none'
      : model.simulation
        ? 'warn'
        : strengthOf(model.epsilon).replace('mostly ', '');
  return element('span', { class: `chip ${tint}` }, guaranteeWords(model));
}
