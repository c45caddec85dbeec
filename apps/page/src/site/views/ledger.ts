import { formatNumber } from '@hushrec/report';
import { element } from '../build-element.js';
import { dataTable } from '../parts/data-table.js';
import { empty, loading } from '../parts/states.js';
import { askJson } from '../server-interface.js';

interface LedgerState {
  readonly dataset: string;
  readonly name: string;
  readonly account: string;
  /** ε of null is infinite. */
  readonly grant: { readonly epsilon: number | null; readonly delta: number; readonly unit: string } | null;
  readonly refused: boolean;
  readonly runs: number;
  readonly unfinishedRuns: number;
  readonly spent: readonly {
    readonly epsilon: number | null;
    readonly delta: number;
    readonly unit: string;
    readonly accountant: string;
  }[];
  readonly entries: readonly {
    readonly number: number;
    readonly at: string;
    readonly kind: string;
    readonly detail: string;
    readonly hash: string;
  }[];
  readonly problem: string | null;
}

/** What every run on a data set has cost together, and what is left. */
export async function ledgerView(place: HTMLElement, signal: AbortSignal): Promise<void> {
  place.append(
    element('h1', {}, 'Ledger'),
    element(
      'p',
      { class: 'lead' },
      'Privacy adds up over runs. The ledger keeps every spend of a data set, in order and tamper-evident, and refuses what would exceed the grant.',
    ),
  );
  const waiting = loading('Loading the ledger');
  place.append(waiting);
  const { ledgers } = await askJson<{ ledgers: LedgerState[] }>('/api/ledger');
  waiting.remove();
  if (signal.aborted) return;
  if (ledgers.length === 0) {
    place.append(
      empty(
        'Nothing spent yet',
        'The first private run writes the first entry. Set a limit with ',
        element('code', {}, 'hushrec ledger grant'),
        '.',
      ),
    );
    return;
  }
  place.append(...ledgers.map(ledgerCard));
}

function ledgerCard(ledger: LedgerState): HTMLElement {
  if (ledger.problem !== null) {
    return element(
      'section',
      { class: 'card' },
      element('h2', {}, ledger.name === ledger.dataset ? ledger.name : `${ledger.dataset} (${ledger.name})`),
      element('p', { class: 'notice bad', role: 'alert' }, ledger.problem),
    );
  }
  const { grant, spent } = ledger;
  const first = spent[0];
  const granted = grant?.epsilon ?? null;
  return element(
    'section',
    { class: 'card', 'aria-label': `Ledger of ${ledger.name}` },
    element('h2', {}, ledger.name === ledger.dataset ? ledger.name : `${ledger.dataset} (${ledger.name})`),
    ...(grant === null
      ? [element('p', { class: 'notice warn' }, 'No limit is set: spends are recorded and never refused.')]
      : [
          element(
            'p',
            {},
            element('span', { class: 'big' }, show(first?.epsilon ?? 0)),
            ` of ε = ${show(grant.epsilon)} spent (δ = ${formatNumber(grant.delta)}, protects ${grant.unit})`,
          ),
          element('meter', {
            min: 0,
            max: granted ?? 1,
            high: granted === null ? undefined : granted * 0.8,
            value: Math.min(granted ?? 1, first?.epsilon ?? granted ?? 1),
            'aria-label': `Budget spent of ${ledger.name}`,
          }),
        ]),
    ledger.refused ? element('p', { class: 'notice bad' }, 'Spending is stopped until a new grant.') : null,
    grant === null
      ? element(
          'ul',
          {},
          spent.map((line) =>
            element(
              'li',
              {},
              `ε = ${show(line.epsilon)} at δ = ${formatNumber(line.delta)} spent against ${line.unit} (${line.accountant})`,
            ),
          ),
        )
      : null,
    element(
      'p',
      { class: 'small quiet' },
      `${ledger.runs} runs paid for${ledger.unfinishedRuns > 0 ? `, ${ledger.unfinishedRuns} of them not reported finished (they count all the same)` : ''}. Account ${ledger.account}.`,
    ),
    dataTable(
      {
        columns: [
          { label: 'no.' },
          { label: 'time (UTC)' },
          { label: 'what' },
          { label: 'detail' },
          { label: 'hash' },
        ],
        rows: ledger.entries.map(({ number, at, kind, detail, hash }) => [
          number,
          at.replace('T', ' ').slice(0, 19),
          kind,
          detail,
          `${hash.slice(0, 12)}…`,
        ]),
      },
      `Entries of ${ledger.name}`,
    ),
  );
}

function show(epsilon: number | null): string {
  return epsilon === null ? '∞' : formatNumber(epsilon);
}
