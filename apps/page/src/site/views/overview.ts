import { percentWords, posteriorOf } from '@hushrec/model';
import { button, element } from '../build-element.js';
import { guaranteeChip } from '../guarantee-words.js';
import { icon } from '../icons.js';
import { listModels } from '../model-list.js';
import { metricsOf } from '../model-metrics.js';
import { failure, loading } from '../parts/states.js';
import { spentSteps } from '../pictures/curves.js';
import { heroPicture } from '../pictures/hero.js';
import { beliefBar, standOutStrip } from '../pictures/measures.js';
import { askJson, type LedgerView, type ModelSummary } from '../server-interface.js';

const count = new Intl.NumberFormat('en');

/** What this is, what is published now, what it has cost, and what to do next. */
export async function overviewView(place: HTMLElement, signal: AbortSignal): Promise<void> {
  const body = element('div');
  place.append(hero(), body);
  const show = async () => {
    body.replaceChildren(loading('Loading models'));
    try {
      const [models, { ledgers }] = await Promise.all([
        listModels(),
        askJson<{ ledgers: LedgerView[] }>('/api/ledger').catch(() => ({ ledgers: [] as LedgerView[] })),
      ]);
      if (signal.aborted) return;
      body.replaceChildren(...(models.length === 0 ? [firstRun()] : cards(models, ledgers)));
    } catch (error) {
      if (!signal.aborted) body.replaceChildren(failure(error, show));
    }
  };
  await show();
}

function hero(): HTMLElement {
  return element(
    'section',
    { class: 'hero' },
    element(
      'div',
      {},
      element('h1', {}, 'Learn from everyone.', element('br'), 'Give no one away.'),
      element(
        'p',
        { class: 'lead' },
        'Hushrec turns what many people liked into recommendations, with enough noise that nobody can tell what one person did. Your own ratings stay on your device.',
      ),
      element(
        'p',
        { class: 'row' },
        element('a', { class: 'button primary', href: '#/try' }, icon('spark'), 'Try it on your taste'),
        element('a', { class: 'button', href: '#/train' }, 'Train a model'),
      ),
    ),
    element(
      'div',
      {},
      heroPicture(),
      element(
        'p',
        { class: 'ends' },
        element('span', {}, 'one person: lost in the noise'),
        element('strong', { class: 'accent' }, 'what many share: still there'),
      ),
    ),
  );
}

/** Nothing is there yet: three ways to begin. */
function firstRun(): HTMLElement {
  const way = (name: string, how: string, code: string) =>
    element(
      'div',
      { class: 'next' },
      element('span', { class: 'round' }, icon('spark')),
      element('div', {}, element('h3', {}, name), element('p', { class: 'small quiet' }, how)),
      element('code', { class: 'hide-phone' }, code),
    );
  return element(
    'section',
    { class: 'card' },
    element('h2', {}, 'No models yet'),
    element('p', { class: 'quiet' }, 'Three ways to begin, none needs an account.'),
    way('Sample data', 'Made up on this computer, in seconds.', 'npm start'),
    way('Your own ratings', 'CSV, Parquet, PostgreSQL.', 'hushrec train ratings.csv --epsilon 1'),
    element(
      'div',
      { class: 'next' },
      element('span', { class: 'round' }, icon('plan')),
      element(
        'div',
        {},
        element('h3', {}, 'Only plan'),
        element('p', { class: 'small quiet' }, 'How many people do I need?'),
      ),
      element('a', { class: 'button', href: '#/plan' }, 'Plan'),
    ),
  );
}

function cards(models: readonly ModelSummary[], ledgers: readonly LedgerView[]): HTMLElement[] {
  const guarded = models.filter(({ epsilon, simulation }) => epsilon !== null && !simulation);
  const now =
    guarded.toSorted((a, b) => (a.publishedAt < b.publishedAt ? 1 : -1)).find(isUseful) ??
    guarded[0] ??
    models[0];
  return [
    element('div', { class: 'grid wide-left' }, publishedNow(now), budget(ledgers)),
    element('div', { class: 'grid wide-left' }, modelTable(models), next(now, ledgers)),
  ];
}

function isUseful({ usefulness }: ModelSummary): boolean {
  return usefulness?.verdict !== 'too-noisy';
}

function publishedNow(model: ModelSummary): HTMLElement {
  const { id, epsilon, usefulness } = model;
  const facts = [
    epsilon === null
      ? element(
          'div',
          {},
          element('p', { class: 'micro' }, 'Privacy'),
          element('strong', {}, 'none'),
          element('p', { class: 'small quiet' }, 'treat it like the data'),
        )
      : element(
          'div',
          {},
          element('p', { class: 'micro' }, 'Privacy'),
          element('strong', {}, `50 → ${percentWords(posteriorOf(0.5, epsilon))}`),
          element('p', { class: 'small quiet' }, 'is the most a guess about you can gain'),
          beliefBar(epsilon),
        ),
    usefulness === null
      ? element(
          'div',
          {},
          element('p', { class: 'micro' }, 'Signal'),
          element('strong', {}, epsilon === null ? 'no noise' : 'not known'),
        )
      : element(
          'div',
          {},
          element('p', { class: 'micro' }, 'Signal'),
          element('strong', {}, `${count.format(usefulness.itemsAboveNoise)} titles`),
          element(
            'p',
            { class: 'small quiet' },
            `of ${count.format(usefulness.items)} stand out of the noise`,
          ),
          standOutStrip(usefulness.itemsAboveNoise / usefulness.items),
        ),
    qualityFact(model),
  ];
  return element(
    'section',
    { class: 'card', 'aria-label': 'Published now' },
    element(
      'div',
      { class: 'head' },
      element(
        'div',
        { class: 'row' },
        element('h2', {}, 'Published now'),
        element('strong', {}, id),
        guaranteeChip(model),
      ),
      element('span', { class: 'small quiet' }, ageOf(model.publishedAt)),
    ),
    element('div', { class: 'facts-row' }, facts),
    element(
      'p',
      { class: 'row' },
      element('a', { class: 'button', href: '#/try' }, 'Try it'),
      element(
        'a',
        { class: 'button plain', href: `#/certificate/${encodeURIComponent(id)}` },
        'Read the certificate',
      ),
    ),
  );
}

function qualityFact(model: ModelSummary): HTMLElement {
  const [first] = metricsOf(model);
  return element(
    'div',
    {},
    element('p', { class: 'micro' }, 'Quality'),
    element(
      'strong',
      {},
      first === undefined ? 'not measured' : `${first.name} ${Number(first.value.toPrecision(3))}`,
    ),
    element(
      'p',
      { class: 'small quiet' },
      first === undefined
        ? 'measured on people, so for operators only'
        : `between ${Number(first.low.toPrecision(3))} and ${Number(first.high.toPrecision(3))}`,
    ),
  );
}

function budget(ledgers: readonly LedgerView[]): HTMLElement {
  const ledger = ledgers[0];
  if (ledger === undefined || ledger.spent.length === 0)
    return element(
      'section',
      { class: 'card' },
      element('h2', {}, 'Budget'),
      element(
        'p',
        { class: 'quiet' },
        'Nothing has been spent. Set a limit before the first run; without one, runs are recorded and never refused.',
      ),
      element('p', {}, element('a', { class: 'button plain', href: '#/ledger' }, 'To the ledger')),
    );
  const spent = ledger.spent[0].epsilon;
  const granted = ledger.grant?.epsilon ?? null;
  const after = ledger.entries.toReversed().flatMap(({ cost }) => (cost?.after == null ? [] : [cost.after]));
  const isTight = granted !== null && spent !== null && spent > 0.75 * granted;
  return element(
    'section',
    { class: 'card' },
    element(
      'div',
      { class: 'head' },
      element('h2', {}, 'Budget'),
      isTight ? element('span', { class: 'chip warn' }, 'tight') : null,
    ),
    element('p', { class: 'small quiet' }, `${ledger.name}, ε over all runs`),
    element(
      'p',
      { class: 'row' },
      element('span', { class: 'figure-big' }, spent === null ? '∞' : String(Number(spent.toPrecision(2)))),
      element(
        'span',
        { class: 'quiet' },
        granted === null ? 'spent, no limit is set' : `of ${granted} spent`,
      ),
    ),
    after.length > 1 ? spentSteps(after, granted) : null,
    element(
      'p',
      {},
      element('a', { class: 'button plain', href: '#/ledger' }, 'Plan the next year', icon('arrow')),
    ),
  );
}

function modelTable(models: readonly ModelSummary[]): HTMLElement {
  const sorted = models.toSorted(
    (a, b) => (a.epsilon ?? Infinity) - (b.epsilon ?? Infinity) || (a.id < b.id ? -1 : 1),
  );
  return element(
    'section',
    { class: 'card' },
    element(
      'div',
      { class: 'head' },
      element('h2', {}, 'Models'),
      element('a', { class: 'button plain', href: '#/compare' }, 'Compare all'),
    ),
    element(
      'div',
      { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Models' },
      element(
        'table',
        {},
        element(
          'thead',
          {},
          element(
            'tr',
            {},
            ['Model', 'Privacy', 'Stands out'].map((name) => element('th', { scope: 'col' }, name)),
          ),
        ),
        element(
          'tbody',
          {},
          sorted.map((model) =>
            element(
              'tr',
              {},
              element(
                'td',
                {},
                element('a', { href: `#/certificate/${encodeURIComponent(model.id)}` }, model.id),
              ),
              element('td', {}, guaranteeChip(model)),
              element('td', {}, standsOut(model)),
            ),
          ),
        ),
      ),
    ),
  );
}

function standsOut({ usefulness, epsilon }: ModelSummary): HTMLElement {
  if (usefulness === null)
    return element('span', { class: 'quiet' }, epsilon === null ? 'no noise' : 'not known');
  const share = usefulness.itemsAboveNoise / usefulness.items;
  return element(
    'span',
    { class: 'row' },
    standOutStrip(share),
    percentWords(share),
    usefulness.verdict === 'too-noisy' ? element('span', { class: 'chip warn' }, 'too noisy') : null,
  );
}

function next(model: ModelSummary, ledgers: readonly LedgerView[]): HTMLElement {
  const steps: HTMLElement[] = [];
  const step = (name: string, why: string, label: string, to: string, isWarn = false) =>
    steps.push(
      element(
        'div',
        { class: 'next' },
        element('span', { class: `round${isWarn ? ' warn' : ''}` }, icon(isWarn ? 'shield' : 'arrow')),
        element('div', {}, element('h3', {}, name), element('p', { class: 'small quiet' }, why)),
        button(label, () => location.assign(to)),
      ),
    );
  if (!model.signed)
    step(
      'Sign the certificate',
      'Until then nobody vouches for it.',
      'See',
      `#/certificate/${encodeURIComponent(model.id)}`,
      true,
    );
  if (ledgers.every(({ grant }) => grant === null))
    step('Set a limit', 'Without one, runs are never refused.', 'Plan', '#/ledger', true);
  if (model.usefulness?.verdict !== 'worth-it' && model.epsilon !== null)
    step('Plan for more people', 'What would be enough, at which ε.', 'Plan', '#/plan');
  step('Ask people to take part', 'Training without collecting ratings.', 'See', '#/take-part');
  return element('section', { class: 'card' }, element('h2', {}, 'Next'), steps);
}

function ageOf(at: string): string {
  const days = Math.floor((Date.now() - Date.parse(at)) / 86_400_000);
  return days <= 0 ? 'published today' : days === 1 ? 'published yesterday' : `published ${days} days ago`;
}
