import { isTooNoisy } from '@hushrec/model/usefulness';
import { percentWords, posteriorOf, promiseParts, shownEpsilon } from '@hushrec/model/words';
import type { PrivacyUnit } from '@hushrec/privacy';
import { formatNumber } from '@hushrec/report';
import { baselineName, isBaseline } from '../baselines.js';
import { runsThatFit } from '../budget-plan.js';
import { button, element } from '../build-element.js';
import { favouritesFound } from '../favourites-found.js';
import { guaranteeChip } from '../guarantee-words.js';
import { icon } from '../icons.js';
import { decidingMetric, metricWords } from '../metric-words.js';
import { listModels } from '../model-list.js';
import { metricsOf } from '../model-metrics.js';
import { cardHead } from '../parts/card-head.js';
import { fittedFigure } from '../parts/fitted-figure.js';
import { promiseLine } from '../parts/promise-line.js';
import { failure, loading } from '../parts/states.js';
import { heroPicture } from '../pictures/hero.js';
import { amountBar, beliefBar, qualityTrack, shareWords, standOutStrip } from '../pictures/measures.js';
import { spentSpark } from '../pictures/spent-spark.js';
import { isUseful, shownFirst } from '../published-now.js';
import {
  askJson,
  type Comparison,
  isSignedIn,
  type LedgerView,
  type ModelSummary,
} from '../server-interface.js';

const count = new Intl.NumberFormat('en');

/**
 * For visitors what this is, what it promises and whether the lists are any good; for operators also what
 * it has cost and what to do next.
 */
export async function overviewView(place: HTMLElement, signal: AbortSignal): Promise<void> {
  const body = element('div');
  place.append(hero(), body);
  const show = async () => {
    body.replaceChildren(loading('Loading models'));
    try {
      const [models, about] = await Promise.all([listModels(), isSignedIn() ? forOperator() : forVisitors()]);
      if (signal.aborted) return;
      body.replaceChildren(...(models.length === 0 ? [firstRun()] : cards(models, about, signal)));
    } catch (error) {
      if (!signal.aborted) body.replaceChildren(failure(error, show));
    }
  };
  await show();
}

/** What one of the two kinds of people is told besides the models. */
type About =
  | { readonly kind: 'operator'; readonly ledgers: readonly LedgerView[] }
  | { readonly kind: 'visitor'; readonly comparisons: readonly Comparison[] };

async function forOperator(): Promise<About> {
  const { ledgers } = await askJson('/api/ledger').catch(() => ({ ledgers: [] }));
  return { kind: 'operator', ledgers };
}

async function forVisitors(): Promise<About> {
  const { comparisons } = await askJson('/api/comparisons').catch(() => ({ comparisons: [] }));
  return { kind: 'visitor', comparisons };
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
        isSignedIn()
          ? element('a', { class: 'button', href: '#/train' }, 'Train a model')
          : element('a', { class: 'button', href: '#/certificate' }, 'See the promise'),
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
    way('Sample data', 'Made up on this computer, in a minute or two.', 'npm start'),
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

function cards(models: readonly ModelSummary[], about: About, signal: AbortSignal): HTMLElement[] {
  const now = shownFirst(models) ?? models[0];
  const row = (...parts: HTMLElement[]) => element('div', { class: 'grid wide-left level' }, parts);
  if (about.kind === 'operator')
    return [
      row(publishedCard(now, models), budget(about.ledgers, now)),
      row(modelTable(models), next(now, about.ledgers)),
    ];
  return [
    element(
      'div',
      { class: 'grid wide-left level' },
      element('div', {}, promiseCard(now), tasteOfIt(now, models, signal)),
      qualityAgainstPrivacy(about.comparisons, models),
    ),
    modelTable(models),
    installCard(),
  ];
}

/** Three titles to rate and the list that follows; the model is fetched when somebody asks for it. */
function tasteOfIt(model: ModelSummary, models: readonly ModelSummary[], signal: AbortSignal): HTMLElement {
  const place = element('div', { class: 'taste' });
  const start = button(
    'Show me three titles',
    async () => {
      start.disabled = true;
      try {
        const { liveStrip } = await import('../parts/live-strip.js');
        const strip = await liveStrip(model, models, signal);
        if (!signal.aborted) place.replaceChildren(strip);
      } catch (error) {
        start.disabled = false;
        place.replaceChildren(start, failure(error));
      }
    },
    {},
    icon('spark'),
  );
  place.append(start);
  return element(
    'section',
    { class: 'card', 'aria-label': 'Try it here' },
    element('h2', {}, 'A list of your own in three taps'),
    element(
      'p',
      { class: 'small quiet' },
      `The model comes to you (${count.format(Math.ceil(model.bytes / 1000))} kB); what you say stays in this browser.`,
    ),
    place,
  );
}

/** For whom it is, and how to begin. */
function installCard(): HTMLElement {
  return element(
    'section',
    { class: 'card with-own' },
    element(
      'div',
      {},
      element('h2', {}, 'With your own data'),
      element(
        'p',
        { class: 'small quiet' },
        'For shops, libraries and media with some thousand people or more. Node is all you need; nothing leaves your machine.',
      ),
      element(
        'p',
        { class: 'row small' },
        element('a', { href: '#/plan' }, 'How many people do I need?'),
        element('a', { href: '#/train' }, 'Sign in as operator'),
      ),
    ),
    element('pre', { class: 'install' }, element('code', {}, 'npx hushrec train ratings.csv --epsilon 1')),
  );
}

/**
 * Quality at each ε between the bestseller list and no privacy where that is public, else what stands out.
 */
function qualityAgainstPrivacy(
  comparisons: readonly Comparison[],
  models: readonly ModelSummary[],
): HTMLElement {
  const measured = comparisons.map(favouritesFound).find((each) => each !== undefined);
  const bars =
    measured?.rows ??
    models
      .filter(({ usefulness, epsilon }) => usefulness !== null && epsilon !== null)
      .sort((a, b) => b.epsilon! - a.epsilon!)
      .map(({ epsilon, usefulness }) => ({
        name: `ε = ${shownEpsilon(epsilon!)}`,
        share: usefulness!.itemsAboveNoise / usefulness!.items,
        words: percentWords(usefulness!.itemsAboveNoise / usefulness!.items),
        kind: 'guarded' as const,
      }));
  return element(
    'section',
    { class: 'card' },
    element('h2', {}, measured === undefined ? 'What is left of taste' : 'What privacy costs'),
    element(
      'p',
      { class: 'small quiet' },
      measured === undefined
        ? 'Titles that stand out from the noise. How good lists are was measured on people, and is for operators.'
        : `How many of 100 titles that people liked and the model has not seen are in its top ${measured.top}.`,
    ),
    element(
      'ul',
      { class: 'amounts' },
      spread(bars, 9).map(({ name, share, words, kind }) =>
        element('li', {}, element('span', {}, name), amountBar(share, kind), element('strong', {}, words)),
      ),
    ),
    element('p', {}, element('a', { class: 'button plain', href: '#/compare' }, 'Compare', icon('arrow'))),
  );
}

/** So many of them at the most, the first and the last among them. */
function spread<Each>(all: readonly Each[], most: number): Each[] {
  if (all.length <= most) return [...all];
  return Array.from({ length: most }, (_, at) => all[Math.round((at * (all.length - 1)) / (most - 1))]);
}

/** What visitors are promised by the model that is shown to them. */
function promiseCard(model: ModelSummary): HTMLElement {
  const { id, epsilon, unit } = model;
  const parts = promiseParts({ epsilon, unit: unit as PrivacyUnit });
  return element(
    'section',
    { class: 'card', 'aria-label': model.isPublishedNow ? 'Published now' : 'Newest model' },
    element(
      'div',
      { class: 'head' },
      element('h2', {}, 'The promise'),
      element('span', { class: 'row' }, element('strong', { class: 'small' }, id), guaranteeChip(model)),
    ),
    parts === undefined
      ? element('p', { class: 'promise of-plan' }, 'No privacy: nobody is protected.')
      : promiseLine(parts, 'promise of-plan'),
    element('div', { class: 'facts-row two' }, privacyFact(model), signalFact(model)),
    element(
      'p',
      { class: 'row' },
      element(
        'a',
        { class: 'button', href: `#/certificate/${encodeURIComponent(id)}` },
        'Check the certificate',
      ),
      model.usefulness?.verdict !== 'worth-it' && epsilon !== null
        ? element('a', { class: 'button plain', href: '#/plan' }, 'Plan for more people')
        : null,
    ),
  );
}

function publishedCard(model: ModelSummary, models: readonly ModelSummary[]): HTMLElement {
  const { id } = model;
  // The newest is not published by being the newest.
  const heading = model.isPublishedNow ? 'Published now' : 'Newest model';
  const facts = [privacyFact(model), qualityFact(model, models), signalFact(model)];
  return element(
    'section',
    { class: 'card', 'aria-label': heading },
    element(
      'div',
      { class: 'head' },
      element(
        'div',
        { class: 'row' },
        element('h2', {}, heading),
        element('strong', {}, id),
        guaranteeChip(model),
      ),
      element('span', { class: 'small quiet' }, `trained ${ageOf(model.publishedAt)}`),
    ),
    element('div', { class: 'facts-row' }, facts),
    element(
      'p',
      { class: 'row' },
      element('a', { class: 'button', href: `#/try/${encodeURIComponent(id)}` }, 'Try it'),
      element(
        'a',
        { class: 'button plain', href: `#/certificate/${encodeURIComponent(id)}` },
        'Read the certificate',
      ),
    ),
  );
}

function privacyFact({ epsilon }: ModelSummary): HTMLElement {
  const heading = element('p', { class: 'micro' }, 'Privacy');
  return epsilon === null
    ? element(
        'div',
        {},
        heading,
        element('strong', {}, 'none'),
        element('p', { class: 'small quiet' }, 'treat it like the data'),
      )
    : element(
        'div',
        {},
        heading,
        element('strong', {}, `50 → ${percentWords(posteriorOf(0.5, epsilon))}`),
        element('p', { class: 'small quiet' }, 'is the most a guess about you can gain'),
        beliefBar(epsilon),
      );
}

function signalFact({ epsilon, usefulness }: ModelSummary): HTMLElement {
  const heading = element('p', { class: 'micro' }, 'Signal');
  return usefulness === null
    ? element('div', {}, heading, element('strong', {}, epsilon === null ? 'no noise' : 'not known'))
    : element(
        'div',
        {},
        heading,
        element('strong', {}, `${count.format(usefulness.itemsAboveNoise)} titles`),
        element(
          'p',
          { class: 'small quiet' },
          `of ${count.format(usefulness.items)} stand out from the noise`,
        ),
        standOutStrip(usefulness.itemsAboveNoise / usefulness.items),
      );
}

/**
 * Where a model's quality lies on the way to the best without privacy: from what knows nobody's taste where
 * that was measured, else from 0; an error has no such start.
 */
function qualityOf(model: ModelSummary, models: readonly ModelSummary[]) {
  const measured = metricsOf(model);
  const decides = decidingMetric(
    model.feedback,
    measured.map(({ name }) => name),
  );
  const first = measured.find(({ name }) => name === decides) ?? measured[0];
  if (first === undefined) return undefined;
  const measuredOf = (each: ModelSummary) => metricsOf(each).find(({ name }) => name === first.name)?.value;
  const open = models.filter(({ epsilon }) => epsilon === null);
  const personal = open.flatMap((each) => (isBaseline(each.method) ? [] : (measuredOf(each) ?? [])));
  const plain = open.find((each) => isBaseline(each.method) && measuredOf(each) !== undefined);
  const { isError } = metricWords(first.name);
  const best = personal.length === 0 ? undefined : isError ? Math.min(...personal) : Math.max(...personal);
  const start =
    plain !== undefined
      ? { name: baselineName(plain.method), value: measuredOf(plain)! }
      : isError
        ? undefined
        : { name: '0', value: 0 };
  const share =
    best === undefined || start === undefined || best === start.value
      ? undefined
      : Math.max(0, Math.min(1, (first.value - start.value) / (best - start.value)));
  return { ...first, best, start, share };
}

function kindOf(model: ModelSummary): 'guarded' | 'too-noisy' | 'open' {
  return model.epsilon === null ? 'open' : isUseful(model) ? 'guarded' : 'too-noisy';
}

function qualityFact(model: ModelSummary, models: readonly ModelSummary[]): HTMLElement {
  const quality = qualityOf(model, models);
  const name = element(
    'p',
    { class: 'micro row spread' },
    'Quality',
    element('span', { class: 'row' }, icon('lock'), 'operators only'),
  );
  if (quality === undefined)
    return element(
      'div',
      {},
      name,
      element('strong', {}, isSignedIn() ? 'not measured' : 'not shown'),
      element(
        'p',
        { class: 'small quiet' },
        isSignedIn() ? 'hushrec evaluate --save measures it' : 'measured on people, so never published',
      ),
    );
  const { value, best, start, share } = quality;
  const shown = (each: number) => (isHits(quality) ? hits(each) : short(each));
  return element(
    'div',
    {},
    name,
    ...(isHits(quality)
      ? [
          element('strong', {}, `${hits(value)} of 100`),
          element(
            'p',
            { class: 'small quiet' },
            `held-out favourites are in its top ${quality.name.slice(7)}`,
          ),
        ]
      : [
          element(
            'strong',
            {},
            quality.name === 'rmse' ? `${short(value)} stars off` : `${quality.name} ${short(value)}`,
          ),
          element(
            'p',
            { class: 'small quiet' },
            `between ${short(quality.low)} and ${short(quality.high)} on ratings it has not seen`,
          ),
        ]),
    ...(share === undefined || start === undefined || best === undefined
      ? []
      : [
          qualityTrack(share, start.name, kindOf(model)),
          element(
            'p',
            { class: 'ends' },
            element('span', {}, start.value === 0 ? '0' : `${start.name} ${shown(start.value)}`),
            element('span', {}, `no privacy ${shown(best)}`),
          ),
        ]),
  );
}

/** How many of the titles that were held back are among the first so many. */
function isHits({ name }: { readonly name: string }): boolean {
  return name.startsWith('recall@');
}

/** Of a hundred. */
function hits(value: number): number {
  return Math.round(100 * value);
}

function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}

function budget(ledgers: readonly LedgerView[], { epsilon }: ModelSummary): HTMLElement {
  const ledger = ledgers[0];
  if (ledger === undefined || ledger.spent.length === 0)
    return element(
      'section',
      { class: 'card' },
      element('h2', {}, 'Budget'),
      element(
        'p',
        { class: 'quiet' },
        ledger === undefined && epsilon !== null
          ? 'What was spent is not known here: the ledger is shown for data that the server was given (hushrec serve --data).'
          : 'Nothing has been spent. Set a limit before the first run; without one, runs are recorded and never refused.',
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
    cardHead('Budget', isTight ? element('span', { class: 'chip warn' }, 'tight') : null),
    element(
      'p',
      { class: 'small quiet' },
      `${ledger.name}, ε over all runs at δ = ${formatNumber(ledger.spent[0].delta)}`,
    ),
    element(
      'p',
      { class: 'row' },
      element('span', { class: 'figure-big' }, shownEpsilon(spent, 2)),
      element(
        'span',
        { class: 'quiet' },
        granted === null ? 'spent, no limit is set' : `of ${granted} spent`,
      ),
    ),
    after.length > 0 ? fittedFigure(96, (width) => spentSpark(after, granted, width)) : null,
    spent === null || granted === null
      ? null
      : element(
          'p',
          { class: 'small' },
          moreRuns(runsThatFit({ spent, granted, delta: ledger.spent[0].delta }, 1, 99)),
        ),
    element(
      'p',
      {},
      element('a', { class: 'button plain', href: '#/ledger' }, 'Plan the next year', icon('arrow')),
    ),
  );
}

function moreRuns(fit: number): string {
  if (fit === 0) return 'Not one more run at ε = 1 fits.';
  return fit >= 99
    ? 'More than 99 more runs at ε = 1 fit.'
    : `${fit} more ${fit === 1 ? 'run' : 'runs'} at ε = 1 ${fit === 1 ? 'fits' : 'fit'}; one more than that would be refused.`;
}

/** Models in the table before somebody asks for all. */
const modelsShown = 8;

function modelTable(models: readonly ModelSummary[]): HTMLElement {
  const sorted = models.toSorted(
    (a, b) => (a.epsilon ?? Infinity) - (b.epsilon ?? Infinity) || (a.id < b.id ? -1 : 1),
  );
  // What anyone may see of a model without privacy has nothing to stand beside.
  const isMeasured = models.some((model) => model.epsilon !== null && metricsOf(model).length > 0);
  const areHits = models.every((model) => isHits(qualityOf(model, models) ?? { name: 'recall@' }));
  const row = (model: ModelSummary) =>
    element(
      'tr',
      {},
      element('td', {}, element('a', { href: `#/certificate/${encodeURIComponent(model.id)}` }, model.id)),
      element('td', {}, guaranteeChip(model)),
      isMeasured ? element('td', {}, qualityCell(model, models)) : null,
      element('td', {}, standsOut(model)),
      element('td', { class: 'small quiet' }, ageOf(model.publishedAt)),
    );
  const body = element('tbody', {}, spread(sorted, modelsShown).map(row));
  const all = button(
    `Show all ${sorted.length}`,
    () => {
      body.replaceChildren(...sorted.map(row));
      all.remove();
      // The button is gone: who pressed it goes on at the first row.
      body.rows[0].tabIndex = -1;
      body.rows[0].focus();
    },
    { class: 'plain' },
  );
  return element(
    'section',
    { class: 'card' },
    cardHead('Models', element('a', { class: 'button plain', href: '#/compare' }, 'Compare all')),
    element(
      'table',
      { class: 'stacked models', 'aria-label': 'Models' },
      element(
        'thead',
        {},
        element(
          'tr',
          {},
          [
            'Model',
            'Privacy',
            ...(isMeasured ? [areHits ? 'Quality, of 100' : 'Quality'] : []),
            'Stands out',
            'Trained',
          ].map((name) => element('th', { scope: 'col' }, name)),
        ),
      ),
      body,
    ),
    sorted.length > modelsShown ? element('p', {}, all) : null,
  );
}

function qualityCell(model: ModelSummary, models: readonly ModelSummary[]): HTMLElement {
  const quality = qualityOf(model, models);
  if (quality === undefined) return element('span', { class: 'quiet' }, 'not measured');
  return element(
    'span',
    { class: 'row' },
    element(
      'span',
      { class: 'figures' },
      isHits(quality) ? String(hits(quality.value)) : short(quality.value),
    ),
    quality.share === undefined ? null : qualityTrack(quality.share, quality.start!.name, kindOf(model)),
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
    isTooNoisy(usefulness)
      ? element('span', { class: 'chip warn' }, 'too noisy')
      : usefulness.verdict === 'same-for-all'
        ? element('span', { class: 'chip warn' }, 'the same for all')
        : shareWords(share),
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
        button(label, () => location.assign(to), { 'aria-label': `${label}: ${name}` }),
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
  return days <= 0 ? 'today' : days === 1 ? 'yesterday' : `${days} days ago`;
}
