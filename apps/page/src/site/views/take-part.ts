import { element } from '../build-element.js';
import { icon } from '../icons.js';
import { howRatingsTravel } from '../parts/how-ratings-travel.js';
import { loading } from '../parts/states.js';
import { askJson } from '../server-interface.js';

/**
 * Training without collecting ratings: whether this server invites to a run, and what taking part means. The
 * run itself has a document of its own.
 */
export async function takePartView(place: HTMLElement): Promise<void> {
  const waiting = loading('Asking for runs');
  place.append(waiting);
  const { open } = await askJson('/api/take-part').catch(() => ({ open: false }));
  waiting.replaceWith(
    element('h1', {}, 'Teach the model, keep your ratings'),
    element(
      'p',
      { class: 'lead' },
      'A device can send two halves of a sum to two organisations. Each half alone is pure chance; only the total over everyone is ever known, with noise on it.',
    ),
    open ? invitation() : nobodyInvites(),
    howRatingsTravel(),
    element(
      'section',
      { class: 'card' },
      element('h2', {}, 'What it means'),
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

function nobodyInvites(): HTMLElement {
  return invitationCard(
    'No invitation here yet',
    'This server has no round open, so there is nothing to take part in. This device sends nothing.',
    element('a', { class: 'button', href: '#/try' }, 'Try it instead'),
  );
}

function invitation(): HTMLElement {
  return invitationCard(
    'You are invited',
    'A run is open. The next page shows its charter: who adds up, who must be honest, what it costs you. Nothing is sent before you switch it on.',
    element('a', { class: 'button primary', href: 'take-part' }, 'Read the charter'),
  );
}

function invitationCard(title: string, words: string, way: HTMLElement): HTMLElement {
  return element(
    'section',
    { class: 'card next' },
    element('span', { class: 'round' }, icon('people')),
    element('div', {}, element('h2', {}, title), element('p', { class: 'quiet' }, words)),
    way,
  );
}
