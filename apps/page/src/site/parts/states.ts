import { button, element } from '../build-element.js';
import { icon } from '../icons.js';

/** Something is on its way. Announced to screen readers. */
export function loading(what: string): HTMLElement {
  return element('div', {}, element('p', { class: 'loading', role: 'status' }, `${what} …`), skeleton());
}

/** Where rows will stand. */
export function skeleton(): HTMLElement {
  return element(
    'div',
    { class: 'skeleton', 'aria-hidden': 'true' },
    element('i'),
    element('i'),
    element('i'),
  );
}

/** Nothing is there yet, and how to get something. */
export function empty(title: string, ...advice: (string | Node)[]): HTMLElement {
  return element('div', { class: 'card empty' }, element('h2', {}, title), element('p', {}, ...advice));
}

/** Something failed: what, why, and a way to try again. */
export function failure(error: unknown, retry?: () => void): HTMLElement {
  const message = error instanceof Error ? error.message : String(error);
  return element(
    'div',
    { class: 'notice bad', role: 'alert' },
    element(
      'p',
      { class: 'row' },
      icon('warn'),
      element('span', {}, element('strong', {}, 'This did not work. '), message),
    ),
    retry === undefined ? null : button('Try again', retry),
  );
}
