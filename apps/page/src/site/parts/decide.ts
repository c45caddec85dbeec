import { percentWords, posteriorOf, strengthOf } from '@hushrec/model/words';
import { button, element, listening } from '../build-element.js';
import { type GrantRequest, type RefuseRequest, send } from '../server-interface.js';
import { failure } from './states.js';

/** Grant and refuse, for operators: each needs a reason, which goes into the ledger. */
export function decideCard(
  account: { readonly dataset: string; readonly name: string; readonly granted: number | null },
  done: () => void,
): HTMLElement {
  const { dataset, name, granted } = account;
  const { epsilon, reason } = decideFields(granted);
  const meaning = element('p', { class: 'small quiet', 'aria-live': 'polite' });
  const message = element('div', { 'aria-live': 'assertive' });
  const give = element('button', { type: 'submit' });
  const draw = () => {
    const value = Number(epsilon.value);
    const isWrong = !(value > 0 && value < Infinity);
    epsilon.classList.toggle('wrong', isWrong);
    give.textContent = isWrong ? 'Grant' : `Grant ${value}`;
    give.disabled = isWrong;
    meaning.textContent = isWrong ? 'ε must be above 0. Smaller protects more.' : grantWords(value);
  };
  const decide = async (what: 'grant' | 'refuse', body: GrantRequest | RefuseRequest) => {
    if (body.note.trim().length < 3) {
      message.replaceChildren(failure(new Error('Say why: the reason goes into the ledger.')));
      reason.focus();
      return;
    }
    give.disabled = true;
    try {
      await send(`/api/ledger/${encodeURIComponent(dataset)}/${what}`, body);
      done();
    } catch (error) {
      message.replaceChildren(failure(error));
      give.disabled = false;
    }
  };
  draw();
  return listening(
    element(
      'form',
      { class: 'card', novalidate: true, 'aria-label': `Decide for ${name}` },
      element('h2', {}, granted === null ? `Set a limit for ${name}` : 'Decide'),
      ...fieldsFrame(epsilon, reason),
      meaning,
      element(
        'p',
        { class: 'row' },
        give,
        button('Refuse all further runs', () => void decide('refuse', { note: reason.value }), {
          class: 'danger',
        }),
      ),
      message,
    ),
    {
      input: draw,
      submit: (event) => {
        event.preventDefault();
        void decide('grant', { epsilon: Number(epsilon.value), note: reason.value });
      },
    },
  );
}

function decideFields(granted: number | null) {
  return {
    epsilon: element('input', {
      type: 'number',
      min: 0.01,
      step: 'any',
      value: granted ?? 3,
      required: true,
    }),
    reason: element('input', {
      type: 'text',
      required: true,
      minlength: 3,
      maxlength: 500,
      placeholder: 'Why people would agree',
      autocomplete: 'off',
    }),
  };
}

function fieldsFrame(epsilon: HTMLElement, reason: HTMLElement): HTMLElement[] {
  return [
    element(
      'p',
      { class: 'small quiet' },
      'Operators only. Each decision is a line in the ledger, with its reason.',
    ),
    element(
      'div',
      { class: 'decide-fields' },
      element('label', { class: 'field' }, 'New grant, ε', epsilon),
      element('label', { class: 'field' }, 'Reason', reason),
    ),
  ];
}

function grantWords(epsilon: number): string {
  return `At ε = ${epsilon}, 50% becomes at most ${percentWords(posteriorOf(0.5, epsilon))}: ${strengthOf(epsilon)}.`;
}
