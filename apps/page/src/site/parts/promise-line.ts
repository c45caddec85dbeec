import { element } from '../build-element.js';

/**
 * The promise with its two numbers in the accent's colour. Beyond 99.9% there is no "at most" left to speak
 * of.
 */
export function promiseLine(parts: readonly string[], kind: string): HTMLElement {
  const isFormal = parts.some((part) => part.startsWith('> '));
  const said = isFormal
    ? parts.map((part) => part.replace(/ at most $/, ' ').replace(/^> /, 'more than '))
    : parts;
  return element(
    'p',
    { class: kind },
    said.map((part, at) => (at % 2 === 1 ? element('em', {}, part) : part)),
  );
}
