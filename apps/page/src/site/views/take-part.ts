import { element } from '../build-element.js';
import { icon } from '../icons.js';

/** Training without collecting ratings. Nobody invites on this server: this says so, and what taking part would mean. */
export function takePartView(place: HTMLElement): void {
  place.append(
    element('h1', {}, 'Teach the model, keep your ratings'),
    element(
      'p',
      { class: 'lead' },
      'A device can send two halves of a sum to two bodies. Each half alone is pure chance; only the total over everyone is ever known, with noise on it.',
    ),
    element(
      'section',
      { class: 'card empty' },
      element('p', {}, element('span', { class: 'round' }, icon('people'))),
      element('h2', {}, 'Nobody invites here yet'),
      element(
        'p',
        {},
        'This server has no round open, so there is nothing to take part in. This device sends nothing.',
      ),
      element('p', {}, element('a', { class: 'button', href: '#/try' }, 'Try it instead')),
    ),
    element(
      'section',
      { class: 'card' },
      element('h2', {}, 'What it would mean'),
      element(
        'dl',
        { class: 'facts' },
        element('dt', {}, 'If one cheats'),
        element('dd', {}, 'Your numbers stay hidden: each half alone looks random.'),
        element('dt', {}, 'If both cheat'),
        element('dd', {}, 'They could read your numbers.'),
        element('dt', {}, 'Anyone can see'),
        element('dd', {}, 'That this device took part, and when.'),
        element('dt', {}, 'Off'),
        element('dd', {}, 'Stops at once. What was already added stays in the sums, under the same noise.'),
      ),
    ),
  );
}
