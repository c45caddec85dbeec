import { percentWords, posteriorOf, strengthOf } from '@hushrec/model';
import { gaussianEpsilon, muFor } from '@hushrec/privacy';
import { element, listening } from '../build-element.js';
import { icon } from '../icons.js';
import { dataTable } from '../parts/data-table.js';
import { empty, loading } from '../parts/states.js';
import { spentSteps } from '../pictures/curves.js';
import { askJson, type LedgerView } from '../server-interface.js';
import { segments } from './plan.js';

/** What every run on the same people has cost together, and what is left. */
export async function ledgerView(place: HTMLElement, signal: AbortSignal): Promise<void> {
  const head = element(
    'div',
    {},
    element('h1', {}, 'What people have given'),
    element(
      'p',
      { class: 'lead' },
      'Privacy adds up over runs. The account follows the people, not the file: a new export next week continues it.',
    ),
  );
  const body = element('div');
  place.append(head, body);
  body.append(loading('Loading the ledger'));
  const { ledgers } = await askJson<{ ledgers: LedgerView[] }>('/api/ledger');
  if (signal.aborted) return;
  if (ledgers.length === 0) {
    body.replaceChildren(
      empty(
        'Nothing has been spent',
        'Set a limit before the first run: ',
        element('code', {}, 'hushrec ledger grant'),
        '. Without one, runs are recorded but never refused.',
      ),
    );
    return;
  }
  body.replaceChildren(...ledgers.flatMap(account));
}

function account(ledger: LedgerView): HTMLElement[] {
  const name = ledger.name === ledger.dataset ? ledger.name : `${ledger.dataset} (${ledger.name})`;
  if (ledger.problem !== null)
    return [
      element(
        'section',
        { class: 'card' },
        element('h2', {}, name),
        element(
          'p',
          { class: 'notice bad row', role: 'alert' },
          icon('warn'),
          element('span', {}, ledger.problem),
        ),
        element(
          'p',
          { class: 'small quiet' },
          'Published models keep their own promise. What cannot be trusted now is the total.',
        ),
      ),
    ];
  const spent = ledger.spent[0]?.epsilon ?? (ledger.spent.length === 0 ? 0 : null);
  const granted = ledger.grant?.epsilon ?? null;
  const after = ledger.entries.toReversed().flatMap(({ cost }) => (cost?.after == null ? [] : [cost.after]));
  return [
    element(
      'section',
      { class: 'card', 'aria-label': `Ledger of ${ledger.name}` },
      element('h2', {}, name),
      element(
        'div',
        { class: 'facts-row' },
        fact('Spent', show(spent), granted === null ? 'no limit is set' : `of ε = ${show(granted)} spent`),
        fact(
          'Granted',
          granted === null ? 'no limit' : String(granted),
          ledger.grant === null
            ? 'spends are recorded and never refused'
            : `δ = ${ledger.grant.delta}, protects ${ledger.grant.unit}`,
        ),
        fact(
          '50 % becomes at most',
          spent === null ? '100 %' : percentWords(posteriorOf(0.5, spent)),
          spent === null ? 'nothing is proved' : `over all ${ledger.runs} runs: ${strengthOf(spent)}`,
        ),
      ),
      granted === null
        ? element(
            'p',
            { class: 'notice warn row' },
            icon('warn'),
            element('span', {}, 'No limit is set: spends are recorded and never refused.'),
          )
        : element('meter', {
            min: 0,
            max: granted,
            value: Math.min(granted, spent ?? granted),
            'aria-label': `Budget spent of ${ledger.name}`,
          }),
      ledger.refused
        ? element(
            'p',
            { class: 'notice bad row' },
            icon('warn'),
            element('span', {}, 'Spending is stopped until a new grant.'),
          )
        : null,
      after.length > 0 ? spentSteps(after, granted) : null,
    ),
    nextMonths(spent, granted, ledger.grant?.delta ?? ledger.spent[0]?.delta ?? 1e-6),
    runs(ledger),
  ];
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

/** What a year of runs would cost, by Gaussian composition: μ² adds up. Nothing is booked here. */
function nextMonths(spent: number | null, granted: number | null, delta: number): HTMLElement {
  const each = segments('Each run', [
    ['0.5', 'ε = 0.5'],
    ['0.25', 'ε = 0.25'],
    ['1', 'ε = 1'],
  ]);
  const often = segments('How often', [
    ['12', 'monthly'],
    ['52', 'weekly'],
    ['4', 'quarterly'],
  ]);
  const result = element('p', { class: 'notice row', 'aria-live': 'polite' });
  const draw = () => {
    const [epsilon, times] = [Number(each.value()), Number(often.value())];
    if (spent === null) {
      result.replaceChildren(icon('warn'), 'What was spent has no finite ε, so no plan adds up.');
      return;
    }
    const muSpent = spent === 0 ? 0 : muFor(spent, delta);
    const total = (runs: number) =>
      gaussianEpsilon(Math.sqrt(muSpent ** 2 + runs * muFor(epsilon, delta) ** 2), delta);
    const end = total(times);
    let fit = 0;
    while (granted !== null && fit < times && total(fit + 1) <= granted) fit++;
    const fits = granted === null || fit === times;
    result.className = `notice row ${fits ? 'good' : 'bad'}`;
    result.replaceChildren(
      icon(fits ? 'check' : 'warn'),
      element(
        'span',
        {},
        `${times} runs at ε = ${epsilon} bring the account from ${Number(spent.toPrecision(3))} to `,
        element('strong', {}, String(Number(end.toPrecision(3)))),
        granted === null
          ? '.'
          : fits
            ? `. That fits the grant of ${granted}.`
            : `. ${fit} fit; the next would be refused, as the grant is ${granted}.`,
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
    ),
    { input: draw },
  );
}

function runs(ledger: LedgerView): HTMLElement {
  return element(
    'section',
    { class: 'card' },
    element(
      'div',
      { class: 'head' },
      element('h2', {}, 'Entries'),
      element('span', { class: 'chip good' }, icon('check'), 'the chain is whole'),
    ),
    element(
      'p',
      { class: 'small quiet' },
      `${ledger.runs} runs paid for${ledger.unfinishedRuns > 0 ? `, ${ledger.unfinishedRuns} of them not reported finished (they count all the same)` : ''}. Account ${ledger.account}.`,
    ),
    dataTable(
      {
        columns: [
          { label: 'Date (UTC)' },
          { label: 'What' },
          { label: 'ε of the run', align: 'right' },
          { label: 'Account after', align: 'right' },
          { label: 'Detail' },
        ],
        rows: ledger.entries
          .filter(({ kind }) => kind !== 'completion')
          .map(({ at, kind, detail, cost }) => [
            at.slice(0, 10),
            kind,
            cost === null ? '' : show(cost.epsilon),
            cost === null ? '' : show(cost.after),
            detail,
          ]),
      },
      `Entries of ${ledger.name}`,
    ),
  );
}

function show(epsilon: number | null): string {
  return epsilon === null ? '∞' : String(Number(epsilon.toPrecision(3)));
}
