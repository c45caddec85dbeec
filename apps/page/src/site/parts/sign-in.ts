import { element, listening } from '../build-element.js';
import { tryToken } from '../server-interface.js';
import { failure } from './states.js';

/** Asks for the operator's token and keeps it for this tab. */
export function signIn(done: () => void): HTMLElement {
  const token = element('input', { type: 'password', autocomplete: 'off', required: true, name: 'token' });
  const message = element('div', { 'aria-live': 'polite' });
  const form = element(
    'form',
    { class: 'card' },
    element('h2', {}, 'Operators only'),
    element(
      'p',
      {},
      'Training spends privacy budget. Enter the operator token that the server printed when it started, or that stands in its token file.',
    ),
    element(
      'label',
      { class: 'field' },
      'Operator token',
      token,
      element('span', { class: 'hint' }, 'Kept for this tab only.'),
    ),
    element('button', { type: 'submit', class: 'primary' }, 'Sign in'),
    message,
  );
  return listening(form, {
    submit: async (event) => {
      event.preventDefault();
      try {
        if ((await tryToken(token.value.trim())) === 'operator') {
          done();
          document.querySelector<HTMLElement>('#main')!.focus();
        } else message.replaceChildren(failure(new Error('This token may read but not train.')));
      } catch (error) {
        message.replaceChildren(failure(error));
      }
    },
  });
}
