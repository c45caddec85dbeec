import { element } from '../build-element.js';
import { icon } from '../icons.js';
import type { NetworkWitness } from '../network-witness.js';

/** The visible proof: how many requests the browser saw this page make since the models were loaded. */
export function requestCounter(witness: NetworkWitness): HTMLElement {
  const count = element('span', { id: 'request-count' });
  const list = element('ul', { class: 'small' });
  const shown = element('div', { 'aria-live': 'polite' });
  const draw = () => {
    const { requests } = witness;
    count.textContent = String(requests.length);
    list.replaceChildren(
      ...requests.slice(-10).map(({ path }) => element('li', {}, element('code', {}, path))),
    );
    shown.replaceChildren(requests.length === 0 ? '' : list);
  };
  witness.onChange(draw);
  draw();
  return element(
    'section',
    { class: 'sent', 'aria-label': 'Nothing was sent' },
    element(
      'details',
      {},
      element(
        'summary',
        {},
        icon('lock'),
        element('span', {}, element('strong', {}, 'Nothing was sent. '), count, ' requests'),
      ),
      element(
        'div',
        { class: 'sent-more' },
        element(
          'p',
          { class: 'small' },
          'So many since the models were loaded. The number comes from the browser’s own record of finished requests, not from our code; the developer tools of your browser show the same. Switch your network off and go on rating: everything still works, because your ratings stay in this browser and the arithmetic happens in this tab. The page’s security policy forbids it to contact any other address.',
        ),
        shown,
      ),
    ),
  );
}
