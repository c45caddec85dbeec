import { element } from '../build-element.js';

/** The first line of a card: its title, and beside it what else is to be seen at once. */
export function cardHead(title: string, beside: Node | null): HTMLElement {
  return element('div', { class: 'head' }, element('h2', {}, title), beside);
}
