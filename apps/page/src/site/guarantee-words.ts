import { formatNumber } from '@hushrec/report';
import { element } from './build-element.js';
import type { ModelSummary } from './server-interface.js';

const protectedThing: Readonly<Record<string, string>> = {
  user: 'person',
  'rating-presence': 'rating',
  'rating-value': 'rating’s value',
};

/** "ε = 1 per person", or that there is none. */
export function guaranteeWords(model: Pick<ModelSummary, 'unit' | 'epsilon' | 'simulation'>): string {
  if (model.epsilon === null) return 'no privacy';
  const words = `ε = ${formatNumber(model.epsilon)} per ${protectedThing[model.unit] ?? model.unit}`;
  return model.simulation ? `${words} (simulation: protects nobody)` : words;
}

export function guaranteeChip(model: Pick<ModelSummary, 'unit' | 'epsilon' | 'simulation'>): HTMLElement {
  const kind = model.epsilon === null ? 'bad' : model.simulation ? 'warn' : 'good';
  return element('span', { class: `chip ${kind}` }, guaranteeWords(model));
}
