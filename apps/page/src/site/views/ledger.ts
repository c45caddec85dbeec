import { percentWords, posteriorOf, shownEpsilon, strengthOf } from '@hushrec/model/words';
import { formatNumber } from '@hushrec/report';
import { type Account, runsThatFit, spentAfter } from '../budget-plan.js';
import { button, element, listening } from '../build-element.js';
import { icon } from '../icons.js';
import { listModels } from '../model-list.js';
import { cardHead } from '../parts/card-head.js';
import { decideCard } from '../parts/decide.js';
import { fittedFigure } from '../parts/fitted-figure.js';
import { refreshLine, refreshPlan } from '../parts/refresh-plan.js';
import { sameAtOtherDelta } from '../parts/same-at-other-delta.js';
import { saveFile } from '../parts/save-file.js';
import { segments } from '../parts/segments.js';
import { emptyWith, failure, loading } from '../parts/states.js';
import { nothingSpentPicture, type SpentStep, spentOverTime } from '../pictures/spent-over-time.js';
import {
  askJson,
  type DatasetSummary,
  type LedgerEntryView,
  type LedgerView,
  type ModelSummary,
} from '../server-interface.js';

/** What every run on the same people has cost together, and what is left. */
export async function ledgerView(place: HTMLElement, signal: AbortSignal): Promise<void> {
  const tools = element('div', { class: 'row' });
  const body = element('div');
  place.append(
    element('div', { class: 'head' }, element('h1', {}, 'What people have given'), tools),
    element(
      'p',
      { class: 'lead' },
      'Privacy adds up over runs. The account follows the people, not the file: a new export next week continues it.',
    ),
    body,
  );
  const show = async (first?: string) => {
    body.replaceChildren(loading('Loading the ledger'));
    try {
      const [{ ledgers }, { role }, models] = await Promise.all([
        askJson('/api/ledger'),
        askJson('/api/whoami').catch(() => ({ role: null })),
        listModels().catch(() => []),
      ]);
      const paidFor: PaidFor = new Map(
        models.flatMap((model) => (model.ledgerEntry === null ? [] : [[model.ledgerEntry, model]])),
      );
      const isOperator = role === 'operator';
      if (signal.aborted) return;
      if (ledgers.length === 0) {
        const { datasets } = isOperator ? await askJson('/api/datasets') : { datasets: [] };
        if (!signal.aborted) body.replaceChildren(...nothingSpent(datasets, show));
        return;
      }
      const draw = (dataset: string | undefined) => {
        const ledger = ledgers.find((each) => each.dataset === dataset) ?? ledgers[0];
        tools.replaceChildren(...choices(ledgers, ledger, paidFor, draw));
        body.replaceChildren(...account(ledger, paidFor, isOperator, () => void show(ledger.dataset)));
      };
      draw(first);
    } catch (error) {
      if (!signal.aborted) body.replaceChildren(failure(error, () => void show(first)));
    }
  };
  await show();
}

/** The published model that each entry paid for. */
type PaidFor = ReadonlyMap<LedgerEntryView['hash'], ModelSummary>;

/** Which account, and its entries to take away. */
function choices(
  ledgers: readonly LedgerView[],
  shown: LedgerView,
  paidFor: PaidFor,
  choose: (dataset: string) => void,
): HTMLElement[] {
  const pick = element(
    'select',
    { 'aria-label': 'Account' },
    ledgers.map((each) => element('option', { value: each.dataset, selected: each === shown }, nameOf(each))),
  );
  listening(pick, { change: () => choose(pick.value) });
  const save = (kind: 'csv' | 'json') =>
    button(
      kind.toUpperCase(),
      () =>
        saveFile(`ledger-${shown.dataset}.${kind}`, kind === 'csv' ? asCsv(shown, paidFor) : asJson(shown)),
      { 'aria-label': `Export as ${kind.toUpperCase()}` },
      icon('download'),
    );
  return [...(ledgers.length > 1 ? [pick] : []), save('csv'), save('json')];
}

function asJson(ledger: LedgerView): Blob {
  return new Blob([`${JSON.stringify(ledger, null, 2)}\n`], { type: 'application/json' });
}

function asCsv({ entries }: LedgerView, paidFor: PaidFor): Blob {
  const quoted = (value: string | number | null) =>
    value === null ? '' : /[",\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : value;
  const rows = entries.map(({ number, at, kind, cost, detail, hash }) => [
    number,
    at,
    kind,
    paidFor.get(hash)?.id ?? null,
    cost?.epsilon ?? null,
    cost?.after ?? null,
    detail,
    hash,
  ]);
  const names = ['entry', 'at', 'kind', 'model', 'epsilon', 'account after', 'detail', 'hash'];
  const lines = [names, ...rows].map((row) => row.map(quoted).join(','));
  return new Blob([`${lines.join('\n')}\n`], { type: 'text/csv' });
}

function nothingSpent(datasets: readonly DatasetSummary[], show: (first?: string) => void): HTMLElement[] {
  const cards = datasets.map(({ id, name }) =>
    decideCard({ dataset: id, name: name === id ? id : `${id} (${name})`, granted: null }, () => show(id)),
  );
  return [
    emptyWith(
      nothingSpentPicture(),
      'Nothing has been spent',
      'Set a limit before the first run',
      ...(cards.length > 0 ? [' here, or with '] : [': ']),
      element('code', {}, 'hushrec ledger grant'),
      '. Without one, runs are recorded but never refused. ',
      element('a', { href: '#/plan' }, 'What is a good ε?'),
    ),
    ...cards,
  ];
}

function nameOf({ name, dataset }: LedgerView): string {
  return name === dataset ? name : `${dataset} (${name})`;
}

function account(
  ledger: LedgerView,
  paidFor: PaidFor,
  isOperator: boolean,
  refresh: () => void,
): HTMLElement[] {
  if (ledger.problem !== null) return [cannotBeTrusted(ledger, ledger.problem)];
  const spent = ledger.spent[0]?.epsilon ?? (ledger.spent.length === 0 ? 0 : null);
  const granted = ledger.grant?.epsilon ?? null;
  const delta = ledger.grant?.delta ?? ledger.spent[0]?.delta ?? 1e-6;
  const own: Account | undefined = spent === null ? undefined : { spent, granted, delta };
  return [
    spentCard(ledger, spent, own, otherDelta(ledger, delta, paidFor)),
    element(
      'div',
      { class: 'grid halves' },
      nextMonths(own, ledger, paidFor),
      isOperator
        ? decideCard({ dataset: ledger.dataset, name: ledger.name, granted }, refresh)
        : whereToDecide(),
    ),
    runs(ledger, paidFor),
  ];
}

/** An account whose chain of entries does not hold. */
function cannotBeTrusted(ledger: LedgerView, problem: string): HTMLElement {
  return element(
    'section',
    { class: 'card' },
    element('h2', {}, nameOf(ledger)),
    element('p', { class: 'notice bad row', role: 'alert' }, icon('warn'), element('span', {}, problem)),
    element(
      'p',
      { class: 'small quiet' },
      'Published models keep their own promise. What cannot be trusted now is the total.',
    ),
  );
}

/** What was spent of what was granted, and how it came to that. */
function spentCard(
  ledger: LedgerView,
  spent: number | null,
  own: Account | undefined,
  explained: string | undefined,
): HTMLElement {
  const steps: SpentStep[] = ledger.entries
    .toReversed()
    .flatMap(({ at, cost }) => (cost?.after == null ? [] : [{ at: Date.parse(at), after: cost.after }]));
  const notice = (kind: 'warn' | 'bad', words: string) =>
    element('p', { class: `notice ${kind} row` }, icon('warn'), element('span', {}, words));
  return element(
    'section',
    { class: 'card', 'aria-label': `Ledger of ${ledger.name}` },
    element('h2', {}, nameOf(ledger)),
    accountFacts(ledger, spent),
    (ledger.grant?.epsilon ?? null) === null
      ? notice('warn', 'No limit is set: spends are recorded and never refused.')
      : null,
    explained === undefined ? null : element('p', { class: 'small quiet' }, explained),
    ledger.refused ? notice('bad', 'Spending is stopped until a new grant.') : null,
    own === undefined ? null : fittedFigure(250, (width) => spentOverTime(steps, own, width)),
  );
}

/** Why a run has another ε here than in its certificate, by the latest one that has. */
function otherDelta({ entries }: LedgerView, accountDelta: number, paidFor: PaidFor): string | undefined {
  for (const { hash, cost } of entries) {
    const { epsilon, delta } = paidFor.get(hash) ?? { epsilon: null, delta: accountDelta };
    if (cost?.epsilon == null || epsilon === null || delta === accountDelta) continue;
    return sameAtOtherDelta({ epsilon, delta }, { epsilon: cost.epsilon, delta: accountDelta });
  }
  return undefined;
}

function accountFacts({ grant, runs: paid }: LedgerView, spent: number | null): HTMLElement {
  const granted = grant?.epsilon ?? null;
  const period = grant?.period ?? null;
  return element(
    'div',
    { class: 'facts-row four' },
    fact(
      'Spent',
      `ε = ${show(spent)}`,
      granted === null ? 'no limit is set' : `of ε = ${show(granted)} spent`,
    ),
    fact(
      'Granted',
      granted === null ? 'no limit' : String(granted),
      grant === null ? 'never refused' : `δ = ${formatNumber(grant.delta)}, ${unitWords(grant.unit)}`,
    ),
    fact(
      '50% becomes at most',
      spent === null ? '100%' : percentWords(posteriorOf(0.5, spent)),
      spent === null
        ? 'nothing is proved'
        : `over ${paid === 1 ? 'one run' : `all ${paid} runs`}: ${strengthOf(spent)}`,
    ),
    fact(
      'Renewal',
      period === null ? 'none' : `every ${period}`,
      period === null ? 'what is spent stays spent' : 'for someone who stays, periods add up',
    ),
  );
}

/** In the place of decisions, for who may not make them. */
function whereToDecide(): HTMLElement {
  return element(
    'section',
    { class: 'card' },
    element('h2', {}, 'Decide'),
    element(
      'p',
      { class: 'small quiet' },
      'Operators set and stop budgets here. Each decision is a line in the ledger, with its reason.',
    ),
    element('p', {}, element('a', { class: 'button', href: '#/train' }, 'Sign in')),
  );
}

function unitWords(unit: string): string {
  return unit === 'user'
    ? 'for whole people'
    : unit === 'rating-value'
      ? 'for values of ratings'
      : 'for ratings';
}

function fact(name: string, value: string, note: string): HTMLElement {
  return element(
    'div',
    {},
    element('p', { class: 'micro' }, name),
    element('strong', {}, value),
    element('p', { class: 'small quiet' }, note),
  );
}

/** ε of a run, and its name. */
const runSizes = [
  ['0.25', 'ε = 0.25'],
  ['0.5', 'ε = 0.5'],
  ['1', 'ε = 1'],
] as const;

/** Runs a year, and their name. */
const runRates = [
  ['52', 'weekly'],
  ['12', 'monthly'],
  ['4', 'quarterly'],
] as const;

function fitWords({ granted }: Account, fit: number, fits: boolean): string {
  if (granted === null) return '.';
  return fits
    ? `. That fits the grant of ${granted}.`
    : `. ${fit} fit; the next would be refused, as the grant is ${granted}.`;
}

/** What a year of runs would cost. Nothing is booked here. */
function nextMonths(own: Account | undefined, ledger: LedgerView, paidFor: PaidFor): HTMLElement {
  const newest = ledger.entries.flatMap(({ hash }) => paidFor.get(hash)?.id ?? [])[0] ?? ledger.dataset;
  const each = segments('Each run', runSizes, '0.5');
  const often = segments('How often', runRates, '12');
  const result = element('p', { class: 'notice row', 'aria-live': 'polite' });
  const place = element('div');
  const draw = () => {
    const [epsilon, times] = [Number(each.value()), Number(often.value())];
    place.replaceChildren();
    if (own === undefined) {
      result.replaceChildren(icon('warn'), 'What was spent has no finite ε, so no plan adds up.');
      return;
    }
    const fit = runsThatFit(own, epsilon, times);
    const fits = fit === times;
    if (fits)
      place.append(refreshPlan(() => refreshLine({ epsilon, timesAYear: times }, ledger.dataset, newest)));
    result.className = `notice row ${fits ? 'good' : 'bad'}`;
    result.replaceChildren(
      icon(fits ? 'check' : 'warn'),
      element(
        'span',
        {},
        `${times} runs at ε = ${epsilon} bring the account from ${show(own.spent)} to `,
        element('strong', {}, show(spentAfter(own, epsilon, times))),
        fitWords(own, fit, fits),
      ),
    );
  };
  draw();
  return listening(
    element(
      'section',
      { class: 'card' },
      element('h2', {}, 'Twelve more months'),
      element('p', { class: 'small quiet' }, 'What would it cost? Nothing is booked here.'),
      element('h3', {}, 'Each run'),
      each.element,
      element('h3', {}, 'How often'),
      often.element,
      result,
      place,
    ),
    { input: draw },
  );
}

const kindWords: Readonly<Record<LedgerEntryView['kind'], string>> = {
  spend: 'Run',
  unprotected: 'Run without a promise',
  grant: 'Limit set',
  refusal: 'Stopped',
  account: 'Account',
  merge: 'Accounts merged',
  different: 'Different people',
  completion: 'Run finished',
  loss: 'Entries lost',
};
const firstShown = 8;

function runs(ledger: LedgerView, paidFor: PaidFor): HTMLElement {
  const accountDelta = ledger.grant?.delta ?? ledger.spent[0]?.delta;
  const entries = ledger.entries.filter(({ kind }) => kind !== 'completion');
  // Operators are told.
  const hasOutcomes = entries.some(({ finished }) => finished !== null);
  const entryRow = (entry: LedgerEntryView) =>
    element(
      'tr',
      {},
      cellsOf(entry, paidFor.get(entry.hash), accountDelta),
      hasOutcomes ? outcomeOf(entry) : null,
    );
  const list = element('tbody', {}, entries.slice(0, firstShown).map(entryRow));
  const unfinished =
    (ledger.unfinishedRuns ?? 0) > 0
      ? `, ${ledger.unfinishedRuns} of them not reported finished (they count all the same)`
      : '';
  return element(
    'section',
    { class: 'card' },
    cardHead('Entries', element('span', { class: 'chip good' }, icon('check'), 'the chain is whole')),
    element(
      'p',
      { class: 'small quiet' },
      `${ledger.runs === 1 ? 'One run' : `${ledger.runs} runs`} paid for${unfinished}.`,
    ),
    element(
      'table',
      { class: 'stacked', 'aria-label': `Entries of ${ledger.name}` },
      element(
        'thead',
        {},
        element(
          'tr',
          {},
          [
            'Date (UTC)',
            'What',
            accountDelta === undefined ? 'ε of the run' : `ε of the run, δ = ${formatNumber(accountDelta)}`,
            'Account after',
            'Detail',
            ...(hasOutcomes ? ['Outcome'] : []),
          ].map((name, at) =>
            element('th', { scope: 'col', ...(at === 2 || at === 3 ? { class: 'number' } : {}) }, name),
          ),
        ),
      ),
      list,
    ),
    showAll(list, entries.length, () => entries.map(entryRow)),
    element(
      'details',
      {},
      element('summary', {}, 'Technical details'),
      element('p', { class: 'small quiet' }, 'Account ', element('code', {}, ledger.account)),
    ),
  );
}

/** The button that puts all rows into the list, where it has more than those shown at first. */
function showAll(list: HTMLTableSectionElement, count: number, rows: () => HTMLElement[]) {
  if (count <= firstShown) return null;
  const more = button(
    `Show all ${count}`,
    () => {
      list.replaceChildren(...rows());
      more.remove();
      // The button is gone: who pressed it goes on at the first of what it brought.
      list.rows[firstShown].tabIndex = -1;
      list.rows[firstShown].focus();
    },
    { class: 'plain' },
  );
  return more;
}

function cellsOf(
  { at, kind, detail, cost }: LedgerEntryView,
  model: ModelSummary | undefined,
  accountDelta: number | undefined,
): HTMLElement[] {
  const number = (label: string, value: number | null | undefined, note: HTMLElement | null = null) =>
    element('td', { class: 'number', 'data-label': label }, cost === null ? '' : show(value ?? null), note);
  const promised =
    model === undefined || model.epsilon === null || model.delta === accountDelta
      ? null
      : element('span', { class: 'micro' }, ` (${show(model.epsilon)} at δ = ${formatNumber(model.delta)})`);
  return [
    element('td', {}, day(at)),
    element(
      'td',
      {},
      model === undefined
        ? element('strong', {}, kindWords[kind])
        : element('a', { href: `#/certificate/${encodeURIComponent(model.id)}` }, model.id),
    ),
    number('ε', cost?.epsilon, promised),
    number('after', cost?.after),
    element('td', { class: 'small' }, detail),
  ];
}

function outcomeOf({ finished }: LedgerEntryView): HTMLElement {
  return element(
    'td',
    {},
    finished === null
      ? ''
      : element(
          'span',
          { class: `chip ${finished ? 'good' : 'warn'}` },
          finished ? 'finished' : 'not finished, counts',
        ),
  );
}

/** "2 Nov 2026", on one line. */
function day(at: string): string {
  return days.format(Date.parse(at)).replaceAll(' ', '\u00a0');
}

const days = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

function show(epsilon: number | null): string {
  return shownEpsilon(epsilon, 3);
}
