import type { Certificate, VerificationCheck } from '@hushrec/model';
import {
  enoughWords,
  isCountsRelease,
  knownPeople,
  noiseWords,
  usefulnessWords,
} from '@hushrec/model/usefulness';
import {
  exceptionSentence,
  paperSentence,
  percentWords,
  posteriorOf,
  promiseParts,
  protectionSentence,
  shownEpsilon,
  strengthWords,
  trustWords,
  weakWords,
} from '@hushrec/model/words';
import { roundedUp } from '@hushrec/privacy';
import { formatNumber } from '@hushrec/report';
import { button, element, listening } from '../build-element.js';
import { guaranteeChip } from '../guarantee-words.js';
import { icon } from '../icons.js';
import { type LoadedModel, loadModel } from '../model-library.js';
import { listBroken, listModels } from '../model-list.js';
import { nearestName } from '../nearest-name.js';
import { dataTable } from '../parts/data-table.js';
import { fittedChart } from '../parts/fitted-chart.js';
import { promiseLine } from '../parts/promise-line.js';
import { releaseTable } from '../parts/release-table.js';
import { spentWords } from '../parts/same-at-other-delta.js';
import { empty, failure, loading } from '../parts/states.js';
import { posteriorChart, type ReleaseBar, releaseChart } from '../pictures/guarantee-charts.js';
import { beliefFigure, epsilonRuler, standOutStrip } from '../pictures/measures.js';
import { shownFirst } from '../published-now.js';
import { noiseBesideOne, releaseWords } from '../release-words.js';
import { addressOf, askJson, type LedgerView, type ModelSummary } from '../server-interface.js';

/** One model's promise: in words, release by release, and recomputed here. */
export async function certificateView(
  place: HTMLElement,
  model: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const head = element('div', { class: 'head' }, element('h1', {}, 'Certificate'));
  const body = element('div');
  const waiting = loading('Loading models');
  place.append(head, waiting);
  const [models, broken] = await Promise.all([listModels(), listBroken()]);
  // What the head gets below pushes nothing that was shown: all of it is new.
  waiting.replaceWith(body);
  if (signal.aborted) return;
  const notices = broken.map(({ id, problem }) =>
    element('p', { class: 'notice bad' }, element('strong', {}, `${id} is not published. `), problem),
  );
  if (models.length === 0) {
    body.replaceChildren(...notices, empty('No models yet', 'A certificate comes with every trained model.'));
    return;
  }
  const chosen =
    model === undefined ? (shownFirst(models) ?? models[0]) : models.find(({ id }) => id === model);
  if (chosen === undefined) {
    body.replaceChildren(...notices, notFound(model!, models));
    return;
  }
  const { row, choice } = headActions(chosen, models);
  head.append(row);
  if (wasChosen) choice.focus();
  wasChosen = false;
  body.replaceChildren(...notices, loading(`Loading ${chosen.id}`));
  try {
    const [loaded, { ledgers }] = await Promise.all([
      loadModel(chosen),
      askJson('/api/ledger').catch(() => ({ ledgers: [] })),
    ]);
    if (!signal.aborted) body.replaceChildren(...notices, certificateParts(loaded, ledgers, signal));
  } catch (error) {
    if (!signal.aborted) body.replaceChildren(...notices, noPromise(chosen.id, error, signal));
  }
}

/** Whether the model was just chosen here: by arrow keys one goes on to the next, so the focus stays. */
let wasChosen = false;

/** Which model's certificate it is, and the ways to keep it. */
function headActions(chosen: ModelSummary, models: readonly ModelSummary[]) {
  const choice = element(
    'select',
    { 'aria-label': 'Model' },
    models.map(({ id }) => element('option', { value: id, selected: id === chosen.id }, id)),
  );
  listening(choice, {
    change: () => {
      wasChosen = true;
      location.assign(`#/certificate/${encodeURIComponent(choice.value)}`);
    },
  });
  const row = element(
    'div',
    { class: 'row' },
    choice,
    button('Print', () => print(), {}, icon('print')),
    element(
      'a',
      {
        class: 'button',
        href: addressOf(`/models/${encodeURIComponent(chosen.id)}/certificate.json`),
        download: `${chosen.id}-certificate.json`,
      },
      icon('download'),
      'certificate.json',
    ),
  );
  return { row, choice };
}

/** A model that could not be read, or is not what was certified, is promised nothing about. */
function noPromise(model: string, error: unknown, signal: AbortSignal): HTMLElement {
  const card = element(
    'section',
    { class: 'card empty' },
    element('p', {}, element('span', { class: 'round warn' }, icon('warn'))),
    element('h2', {}, `No promise can be shown for ${model}`),
    element('p', { role: 'alert' }, error instanceof Error ? error.message : String(error)),
    element(
      'p',
      { class: 'quiet' },
      'What came is not a model that fits its certificate: it was changed, or did not come whole. Do not use it until it fits.',
    ),
    button('Try again', () => {
      const place = card.closest<HTMLElement>('.view')!;
      place.replaceChildren();
      void certificateView(place, model, signal);
    }),
  );
  return card;
}

/** An unknown address shows no certificate at all. */
function notFound(model: string, models: readonly ModelSummary[]): HTMLElement {
  const nearest = nearestName(
    model,
    models.map(({ id }) => id),
  );
  return element(
    'section',
    { class: 'card empty' },
    element('p', {}, element('span', { class: 'round warn' }, icon('search'))),
    element('h2', {}, `There is no model “${model}”`),
    element(
      'p',
      { class: 'quiet' },
      'Its certificate cannot be shown. We do not show another one in its place.',
    ),
    nearest === undefined
      ? null
      : element(
          'p',
          {},
          element(
            'a',
            { class: 'button', href: `#/certificate/${encodeURIComponent(nearest)}` },
            `Did you mean ${nearest}?`,
          ),
        ),
    element('p', {}, element('a', { class: 'button plain', href: '#/overview' }, 'All models')),
  );
}

function certificateParts(
  model: LoadedModel,
  ledgers: readonly LedgerView[],
  signal: AbortSignal,
): HTMLElement {
  const { summary, published } = model;
  const { certificate } = published;
  return element(
    'div',
    { class: 'grid wide-left' },
    element(
      'article',
      { class: 'card raised', 'aria-label': `Certificate of ${summary.id}` },
      element(
        'p',
        { class: 'row' },
        element('span', { class: 'chip' }, summary.id),
        guaranteeChip(summary),
        certificate.signature === undefined
          ? element('span', { class: 'chip warn' }, icon('warn'), 'not signed')
          : element('span', { class: 'chip good' }, icon('check'), 'signed'),
      ),
      element(
        'p',
        { class: 'print-only' },
        `Model ${summary.id}, ${accountName(certificate, ledgers)}. Checked on ${new Date().toISOString().slice(0, 16).replace('T', ' at ')} UTC. Hushrec ${certificate.codeVersion}.`,
      ),
      ...promise(certificate),
      element('hr'),
      ...strength(certificate),
      ...released(certificate),
      ...worth(certificate),
      element('h2', {}, 'What this does not promise'),
      element(
        'ul',
        {},
        notPromised(certificate, ledgers).map((line) => element('li', {}, line)),
      ),
    ),
    element('div', {}, verification(model, signal), ...startingPoint(certificate), technical(certificate)),
    element(
      'div',
      { class: 'print-only signing' },
      ['Read by', 'Date', 'Signature'].map((line) => element('p', {}, line)),
    ),
  );
}

/** On whose honesty a federated promise rests. */
function trusted(certificate: Certificate): HTMLElement[] {
  const [condition, ...more] = trustWords(certificate);
  if (condition === undefined) return [];
  return [
    element('p', { class: 'notice' }, element('strong', {}, 'Nobody held all ratings. '), condition),
    ...more.map((words) => element('p', { class: 'small quiet' }, words)),
  ];
}

function promise(certificate: Certificate): HTMLElement[] {
  const parts = promiseParts(certificate);
  if (parts === undefined || certificate.epsilon === null)
    return [
      element('p', { class: 'promise' }, 'This model gives no privacy guarantee.'),
      element('p', { class: 'quiet' }, 'It is here for comparison; treat it as if it were the data.'),
      ...paper(certificate),
    ];
  return [
    ...(certificate.simulation
      ? [
          element(
            'p',
            { class: 'notice bad row' },
            icon('warn'),
            element(
              'span',
              {},
              element('strong', {}, 'Simulation: nobody is protected. '),
              'A seed was used, so the noise can be recomputed. What follows is what the same run would promise without one.',
            ),
          ),
        ]
      : []),
    ...weakWords(certificate).map((words) =>
      element('p', { class: 'notice warn' }, element('strong', {}, 'Weak. '), words),
    ),
    promiseLine(parts, 'promise'),
    ...trusted(certificate),
    beliefFigure(certificate.epsilon),
    element(
      'p',
      {},
      `${coverage(certificate)}, against anyone, with any other knowledge and any computer. ${exceptionSentence(certificate.delta)}`,
    ),
    ...paper(certificate),
  ];
}

/** Whose people: by name where the ledger knows it; the id is among the technical details. */
function accountName({ account }: Certificate, ledgers: readonly LedgerView[]): string {
  const name = ledgers.find((ledger) => ledger.account === account)?.name;
  return name === undefined ? `account ${account}` : `account ${name} (${account.slice(0, 8)}…)`;
}

/** What is covered, in plain words; the certificate's own are among the technical details. */
function coverage({ unit }: Certificate): string {
  switch (unit) {
    case 'rating-presence':
      return 'It covers each single rating, whether it is there or not';
    case 'rating-value':
      return 'It covers the value of each single rating, not that it is there';
    default:
      return 'It covers everything one person ever rated';
  }
}

function paper(certificate: Certificate): HTMLElement[] {
  const words = paperSentence(certificate);
  return words === undefined ? [] : [element('p', { class: 'notice warn' }, words)];
}

const rulerEpsilons = [0.1, 0.5, 1, 3, 8];

function strength(certificate: Certificate): HTMLElement[] {
  const { epsilon } = certificate;
  if (epsilon === null) return [];
  const epsilons = [...new Set([...rulerEpsilons, roundedUp(epsilon, 3)])].sort((a, b) => a - b);
  const row = (prior: number) => [
    `${100 * prior}% becomes`,
    ...epsilons.map((each) => percentWords(posteriorOf(prior, each))),
  ];
  return [
    element('h2', {}, `How strong is ε = ${shownEpsilon(epsilon)}?`),
    element(
      'p',
      { class: 'quiet' },
      `${strengthWords({ ...certificate, epsilon })} At most, a guess becomes:`,
    ),
    epsilonRuler(epsilon),
    dataTable(
      {
        columns: [
          { label: 'At ε =' },
          ...epsilons.map((each) => ({ label: String(each), align: 'right' as const })),
        ],
        rows: [row(0.5), row(0.01)],
      },
      'What ε means for a guess',
      'table',
    ),
    element('hr'),
  ];
}

function released(certificate: Certificate): HTMLElement[] {
  const { releases, usefulness } = certificate;
  const people = knownPeople(certificate)?.about;
  const noised = releases.filter(({ sensitivity, noise }) => sensitivity > 0 && noise > 0);
  const kinds = new Map<string, ReleaseBar>();
  for (const { name, sensitivity, noise, count } of noised) {
    const kind = releaseWords(name);
    const known = kinds.get(kind);
    const ratio = Math.min(known?.ratio ?? Infinity, noise / sensitivity);
    // Of counts and vectors it is known how far the most counted tenth of titles stands above the noise.
    const head = isCountsRelease(name)
      ? usefulness?.counts.head
      : isVectors(name)
        ? usefulness?.vectors?.head
        : null;
    kinds.set(kind, {
      name: kind,
      ratio,
      count: (known?.count ?? 0) + count,
      ...(head != null && head > 0 && { everyone: ratio / head }),
      // Each of them is one.
      ...(name === 'people-count' && people !== undefined && { everyone: people }),
    });
  }
  const bars = [...kinds.values()];
  return [
    element('h2', {}, 'What was released'),
    element(
      'p',
      { class: 'quiet' },
      noised.length === 0
        ? 'Nothing with noise: this model was trained without any.'
        : `${kinds.size} kinds of numbers, ${noised.reduce((sum, { count }) => sum + count, 0)} releases. ${noiseBesideOne(Math.min(...bars.map(({ ratio }) => ratio)))}${bars.some(({ everyone }) => everyone !== undefined) ? ' Everyone together: for the most counted tenth of titles.' : ''}`,
    ),
    ...(bars.length === 0 ? [] : [fittedChart(releaseChart(bars), 78 + 30 * bars.length)]),
    element('hr'),
  ];
}

function isVectors(name: string): boolean {
  return releaseWords(name) === 'Taste, title by title';
}

function worth(certificate: Certificate): HTMLElement[] {
  const { usefulness, epsilon, delta } = certificate;
  if (usefulness === undefined) return [];
  const enough = enoughWords(usefulness, epsilon, delta, knownPeople(certificate));
  return [
    element('h2', {}, 'Is it worth using?'),
    standOutStrip(usefulness.itemsAboveNoise / usefulness.items),
    element('p', {}, usefulnessWords(usefulness)),
    enough === undefined ? element('span') : element('p', {}, enough),
    element('p', { class: 'small quiet' }, `${noiseWords(usefulness)} From released numbers alone.`),
    element('hr'),
  ];
}

function notPromised({ unit, account }: Certificate, ledgers: readonly LedgerView[]): string[] {
  const own = ledgers.find((ledger) => ledger.account === account && ledger.spent.length > 0);
  const spent = own?.spent[0].epsilon;
  return [
    ...(unit === 'rating-presence' || unit === 'rating-value'
      ? ['It protects one rating, not one person: who rates much is protected less.']
      : []),
    own === undefined || spent == null
      ? 'It is about this model. What all runs on these people cost together is in the ledger.'
      : `It is about this model. ${own.name} has spent ${spentWords(spent, own.spent[0].delta)} ${own.runs === 1 ? 'in one run, which the ledger has' : `over all ${own.runs} runs; the ledger has each of them`}.`,
    'What is true of people like you can still be learned: that is the purpose.',
    'The holder of the raw ratings still holds them.',
  ];
}

function startingPoint({ epsilon }: Certificate): HTMLElement[] {
  if (epsilon === null) return [];
  return [
    element(
      'section',
      { class: 'card no-print' },
      element('h2', {}, 'Another starting point'),
      element('p', { class: 'small quiet' }, 'How sure was the attacker before?'),
      fittedChart(posteriorChart(epsilon), 270),
    ),
  ];
}

function technical(certificate: Certificate): HTMLElement {
  const facts: [string, string][] = [
    ['Method', certificate.method],
    ['Published', certificate.released],
    [
      'ε, δ',
      certificate.epsilon === null ? '–' : `${certificate.epsilon}, ${formatNumber(certificate.delta)}`,
    ],
    ['Protection', protectionSentence(certificate).replace(/^Protected: /, '')],
    ['Accountant', certificate.accountant],
    ['Settings', certificate.tuning],
    ['Account', certificate.account],
    ['Catalogue', certificate.catalogue],
    ['Ledger entry', certificate.ledgerEntry ?? 'none'],
    ['Made with', certificate.codeVersion],
    ['Signed by', certificate.signature?.publicKey ?? 'nobody'],
    ['Hash', certificate.hash],
  ];
  return element(
    'section',
    { class: 'card' },
    element(
      'details',
      {},
      element('summary', {}, 'Technical details'),
      element(
        'dl',
        { class: 'facts' },
        facts.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]),
      ),
      releaseTable(certificate.releases, 'Table of releases'),
    ),
  );
}

/** Recomputes everything from the files this tab holds. The accountants are loaded only for this page. */
function verification(model: LoadedModel, signal: AbortSignal): HTMLElement {
  const promisesNothing = model.published.certificate.epsilon === null;
  const time = element('span', { class: 'small quiet' });
  const result = element('div', { 'aria-live': 'polite' }, loading('Recomputing the guarantee in this tab'));
  const verify = async () => {
    try {
      const { verifyFiles } = await import('../verify-files.js');
      const started = performance.now();
      const { ok, checks, warnings } = await verifyFiles(model.files);
      if (signal.aborted) return;
      time.textContent = `in this browser, ${Math.round(performance.now() - started)} ms`;
      result.replaceChildren(
        element(
          'p',
          {},
          element(
            'span',
            { class: `chip ${!ok ? 'bad' : promisesNothing ? 'warn' : 'good'}` },
            !ok
              ? 'Do not trust this model'
              : promisesNothing
                ? 'Adds up, and promises nothing'
                : 'Everything adds up',
          ),
        ),
        element(
          'ul',
          { class: 'checks' },
          warnings.map((warning) =>
            checkLine('missing', warning.split(': ')[0], sentence(warning.split(': ').slice(1).join(': '))),
          ),
          checks
            .filter(({ ok, name }) => !(ok && promisesNothing && name.startsWith('promised')))
            .map((check: VerificationCheck) =>
              checkLine(check.ok ? 'ok' : 'failed', check.name, inWords(check.detail)),
            ),
        ),
      );
    } catch (error) {
      if (!signal.aborted) result.replaceChildren(failure(error));
    }
  };
  void verify();
  return element(
    'section',
    { class: 'card', 'aria-labelledby': 'verified' },
    element('div', { class: 'head' }, element('h2', { id: 'verified' }, 'Checks'), time),
    result,
  );
}

/** Accountants by what they do; their ids are among the technical details. */
function inWords(detail: string): string {
  return detail
    .replace(/\bgaussian-dp\b/, 'Gaussian accountant')
    .replace(/^pld\b/, 'the numerical accountant')
    .replace(/^rdp\b/, 'the Rényi accountant');
}

/** Missing is amber, never a green tick. */
function checkLine(kind: 'ok' | 'missing' | 'failed', name: string, detail: string): HTMLElement {
  const word = { ok: 'passed', missing: 'missing', failed: 'failed' }[kind];
  return element(
    'li',
    { class: kind },
    icon(kind === 'ok' ? 'check' : 'warn'),
    element(
      'span',
      {},
      element('span', { class: 'visually-hidden' }, `${word}: `),
      element('strong', {}, name.charAt(0).toUpperCase() + name.slice(1)),
      element('br'),
      element('span', { class: 'small quiet' }, detail),
    ),
  );
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
