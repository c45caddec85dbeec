import { percentWords, posteriorOf, shownEpsilon, strengthOf } from '@hushrec/model/words';
import { formatNumber } from '@hushrec/report';
import { type Signal, signal, useSignal } from '@preact/signals';
import { Fragment, render } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Account } from '../budget-plan.js';
import { Decide } from '../ledger/decide.js';
import { NextMonths } from '../ledger/next-months.js';
import { listModels } from '../model-list.js';
import { Failure, Icon, Notice, Picture } from '../parts/drawn.js';
import { fittedChart } from '../parts/fitted-chart.js';
import { sameAtOtherDelta } from '../parts/same-at-other-delta.js';
import { saveFile } from '../parts/save-file.js';
import { loading } from '../parts/states.js';
import { spentOverTime } from '../pictures/spent-over-time.js';
import { nothingSpentPicture } from '../pictures/spent-spark.js';
import {
  askJson,
  type DatasetSummary,
  type LedgerEntryView,
  type LedgerView,
  type ModelSummary,
} from '../server-interface.js';

/** The published model that each entry paid for. */
type PaidFor = ReadonlyMap<LedgerEntryView['hash'], ModelSummary>;

interface Answered {
  readonly ledgers: readonly LedgerView[];
  readonly isOperator: boolean;
  readonly paidFor: PaidFor;
  /** Where limits can be set before anything is spent. */
  readonly datasets: readonly DatasetSummary[];
}

/** What every run on the same people has cost together, and what is left. */
export async function ledgerView(place: HTMLElement, left: AbortSignal): Promise<void> {
  const answer = signal<Answered | { readonly problem: unknown } | undefined>(undefined);
  const ask = async () => {
    const said = await answered().catch((problem: unknown) => ({ problem }));
    if (!left.aborted) answer.value = said;
  };
  render(<Ledger answer={answer} ask={ask} />, place);
  left.addEventListener('abort', () => render(null, place));
  await ask();
}

async function answered(): Promise<Answered> {
  const [{ ledgers }, { role }, models] = await Promise.all([
    askJson('/api/ledger'),
    askJson('/api/whoami').catch(() => ({ role: null })),
    listModels().catch(() => []),
  ]);
  const isOperator = role === 'operator';
  const mayBegin = ledgers.length === 0 && isOperator;
  const { datasets } = mayBegin ? await askJson('/api/datasets') : { datasets: [] };
  const paid = models.flatMap((model) =>
    model.ledgerEntry === null ? [] : [[model.ledgerEntry, model] as const],
  );
  return { ledgers, isOperator, paidFor: new Map(paid), datasets };
}

interface LedgerProps {
  readonly answer: Signal<Answered | { readonly problem: unknown } | undefined>;
  readonly ask: () => Promise<void>;
}

function Ledger({ answer: { value: answer }, ask }: LedgerProps) {
  const chosen = useSignal('');
  const ledgers = answer !== undefined && 'ledgers' in answer ? answer.ledgers : [];
  const shown = ledgers.find(({ dataset }) => dataset === chosen.value) ?? ledgers[0];
  return (
    <>
      <div class="head">
        <h1>What people have given</h1>
        {answer === undefined || 'problem' in answer || shown === undefined ? null : (
          <div class="row">
            {ledgers.length < 2 ? null : (
              <select
                aria-label="Account"
                value={shown.dataset}
                onChange={({ currentTarget }) => {
                  chosen.value = currentTarget.value;
                }}
              >
                {ledgers.map((each) => (
                  <option key={each.dataset} value={each.dataset}>
                    {nameOf(each)}
                  </option>
                ))}
              </select>
            )}
            <Export kind="csv" ledger={shown} content={() => csvOf(shown, answer.paidFor)} />
            <Export kind="json" ledger={shown} content={() => `${JSON.stringify(shown, null, 2)}\n`} />
          </div>
        )}
      </div>
      <p class="lead">
        Privacy adds up over runs. The account follows the people, not the file: a new export next week
        continues it.
      </p>
      {answer === undefined ? (
        <Picture draw={() => loading('Loading the ledger')} of={[]} />
      ) : 'problem' in answer ? (
        <Failure of={answer.problem} retry={ask} />
      ) : shown === undefined ? (
        <NothingSpent datasets={answer.datasets} ask={ask} />
      ) : (
        <Fragment key={shown.dataset}>
          <OneAccount ledger={shown} {...answer} ask={ask} />
        </Fragment>
      )}
    </>
  );
}

interface ExportProps {
  readonly kind: 'csv' | 'json';
  readonly ledger: LedgerView;
  readonly content: () => string;
}

function Export({ kind, ledger, content }: ExportProps) {
  const type = kind === 'csv' ? 'text/csv' : 'application/json';
  return (
    <button
      type="button"
      aria-label={`Export as ${kind.toUpperCase()}`}
      onClick={() => saveFile(`ledger-${ledger.dataset}.${kind}`, new Blob([content()], { type }))}
    >
      <Icon name="download" />
      {kind.toUpperCase()}
    </button>
  );
}

function csvOf({ entries }: LedgerView, paidFor: PaidFor): string {
  const quoted = (value: string | number | null) =>
    value === null ? '' : /[",\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : value;
  const rows = entries.map(({ number, at, kind, cost, detail, hash }) => [
    ...[number, at, kind, paidFor.get(hash)?.id ?? null],
    ...[cost?.epsilon ?? null, cost?.after ?? null, detail, hash],
  ]);
  const names = ['entry', 'at', 'kind', 'model', 'epsilon', 'account after', 'detail', 'hash'];
  return [names, ...rows].map((row) => `${row.map(quoted).join(',')}\n`).join('');
}

function NothingSpent({ datasets, ask }: { datasets: readonly DatasetSummary[]; ask: () => Promise<void> }) {
  return (
    <>
      <div class="card empty">
        <Picture draw={nothingSpentPicture} of={[]} />
        <h2>Nothing has been spent</h2>
        <p>
          {`Set a limit before the first run${datasets.length > 0 ? ' here, or with ' : ': '}`}
          <code>hushrec ledger grant</code>. Without one, runs are recorded but never refused.{' '}
          <a href="#/plan">What is a good ε?</a>
        </p>
      </div>
      {datasets.map(({ id, name }) => (
        <Decide key={id} dataset={id} name={nameOf({ name, dataset: id })} granted={null} done={ask} />
      ))}
    </>
  );
}

function nameOf({ name, dataset }: Pick<LedgerView, 'name' | 'dataset'>): string {
  return name === dataset ? name : `${dataset} (${name})`;
}

interface OneAccountProps extends Answered {
  readonly ledger: LedgerView;
  readonly ask: () => Promise<void>;
}

function OneAccount({ ledger, paidFor, isOperator, ask }: OneAccountProps) {
  if (ledger.problem !== null)
    return (
      <section class="card">
        <h2>{nameOf(ledger)}</h2>
        <Notice role="alert">{ledger.problem}</Notice>
        <p class="small quiet">
          Published models keep their own promise. What cannot be trusted now is the total.
        </p>
      </section>
    );
  const { dataset, name, entries } = ledger;
  const spent = ledger.spent[0]?.epsilon ?? (ledger.spent.length === 0 ? 0 : null);
  const granted = ledger.grant?.epsilon ?? null;
  const delta = ledger.grant?.delta ?? ledger.spent[0]?.delta ?? 1e-6;
  const own: Account | undefined = spent === null ? undefined : { spent, granted, delta };
  const newest = entries.flatMap(({ hash }) => paidFor.get(hash)?.id ?? [])[0] ?? dataset;
  return (
    <>
      <Spent ledger={ledger} own={own} explained={otherDelta(ledger, delta, paidFor)} />
      {isOperator ? (
        <div class="grid halves">
          <NextMonths own={own} dataset={dataset} model={newest} />
          <Decide key={granted} dataset={dataset} name={name} granted={granted} done={ask} />
        </div>
      ) : (
        <NextMonths own={own} dataset={dataset} model={newest}>
          <p class="small quiet">
            Operators set and stop budgets here, each time with a reason in the ledger.{' '}
            <a href="#/train">Sign in</a>
          </p>
        </NextMonths>
      )}
      <Entries ledger={ledger} paidFor={paidFor} />
    </>
  );
}

interface SpentProps {
  readonly ledger: LedgerView;
  readonly own: Account | undefined;
  readonly explained: string | undefined;
}

/** What was spent of what was granted, and how it came to that. */
function Spent({ ledger, own, explained }: SpentProps) {
  const { grant, runs, entries } = ledger;
  const granted = grant?.epsilon ?? null;
  const period = grant?.period ?? null;
  const spent = own?.spent ?? null;
  const draw = (account: Account) => {
    const steps = entries
      .toReversed()
      .flatMap(({ at, cost }) => (cost?.after == null ? [] : [{ at: Date.parse(at), after: cost.after }]));
    return fittedChart(spentOverTime(steps, account), 300);
  };
  return (
    <section class="card" aria-label={`Ledger of ${ledger.name}`}>
      <h2>{nameOf(ledger)}</h2>
      <div class="facts-row four">
        <Fact
          name="Spent"
          value={`ε = ${show(spent)}`}
          note={granted === null ? 'no limit is set' : `of ε = ${show(granted)} spent`}
        />
        <Fact
          name="Granted"
          value={granted === null ? 'no limit' : String(granted)}
          note={
            grant === null
              ? 'never refused'
              : `δ = ${formatNumber(grant.delta)}, ${unitWords[grant.unit] ?? 'for ratings'}`
          }
        />
        <Fact
          name="50% becomes at most"
          value={spent === null ? '100%' : percentWords(posteriorOf(0.5, spent))}
          note={
            spent === null
              ? 'nothing is proved'
              : `over ${runs === 1 ? 'one run' : `all ${runs} runs`}: ${strengthOf(spent)}`
          }
        />
        <Fact
          name="Renewal"
          value={period === null ? 'none' : `every ${period}`}
          note={period === null ? 'what is spent stays spent' : 'for someone who stays, periods add up'}
        />
      </div>
      {granted === null ? (
        <Notice kind="warn">No limit is set: spends are recorded and never refused.</Notice>
      ) : null}
      {explained === undefined ? null : <p class="small quiet">{explained}</p>}
      {ledger.refused ? <Notice>Spending is stopped until a new grant.</Notice> : null}
      {own === undefined ? null : <Picture draw={() => draw(own)} of={[ledger]} />}
    </section>
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

const unitWords: Readonly<Record<string, string>> = {
  user: 'for whole people',
  'rating-value': 'for values of ratings',
};

function Fact({ name, value, note }: { name: string; value: string; note: string }) {
  return (
    <div>
      <p class="micro">{name}</p>
      <strong>{value}</strong>
      <p class="small quiet">{note}</p>
    </div>
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

function Entries({ ledger, paidFor }: { ledger: LedgerView; paidFor: PaidFor }) {
  const { grant, spent, runs, unfinishedRuns } = ledger;
  const delta = grant?.delta ?? spent[0]?.delta;
  const entries = ledger.entries.filter(({ kind }) => kind !== 'completion');
  // Operators are told.
  const hasOutcomes = entries.some(({ finished }) => finished !== null);
  const isWhole = useSignal(entries.length <= firstShown);
  const next = useRef<HTMLTableRowElement>(null);
  useLayoutEffect(() => {
    // The button is gone: who pressed it goes on at the first of what it brought.
    if (document.activeElement === document.body) next.current?.focus();
  }, [isWhole.value]);
  return (
    <section class="card">
      <div class="head">
        <h2>Entries</h2>
        <span class="chip good">
          <Icon name="check" />
          the chain is whole
        </span>
      </div>
      <p class="small quiet">
        {`${runs === 1 ? 'One run' : `${runs} runs`} paid for${(unfinishedRuns ?? 0) > 0 ? `, ${unfinishedRuns} of them not reported finished (they count all the same)` : ''}.`}
      </p>
      <table class="stacked" aria-label={`Entries of ${ledger.name}`}>
        <EntryColumns delta={delta} hasOutcomes={hasOutcomes} />
        <tbody>
          {entries.slice(0, isWhole.value ? entries.length : firstShown).map((entry, row) => (
            <tr key={entry.number} {...(row === firstShown && { ref: next, tabIndex: -1 })}>
              <Cells entry={entry} model={paidFor.get(entry.hash)} delta={delta} />
              {hasOutcomes ? <Outcome entry={entry} /> : null}
            </tr>
          ))}
        </tbody>
      </table>
      {isWhole.value ? null : (
        <button
          type="button"
          class="plain"
          onClick={() => {
            isWhole.value = true;
          }}
        >
          {`Show all ${entries.length}`}
        </button>
      )}
      <details>
        <summary>Technical details</summary>
        <p class="small quiet">
          Account <code>{ledger.account}</code>
        </p>
      </details>
    </section>
  );
}

function EntryColumns({ delta, hasOutcomes }: { delta: number | undefined; hasOutcomes: boolean }) {
  return (
    <thead>
      <tr>
        <th scope="col">Date (UTC)</th>
        <th scope="col">What</th>
        <th scope="col" class="number">
          {delta === undefined ? 'ε of the run' : `ε of the run, δ = ${formatNumber(delta)}`}
        </th>
        <th scope="col" class="number">
          Account after
        </th>
        <th scope="col">Detail</th>
        {hasOutcomes ? <th scope="col">Outcome</th> : null}
      </tr>
    </thead>
  );
}

interface CellsProps {
  readonly entry: LedgerEntryView;
  readonly model: ModelSummary | undefined;
  readonly delta: number | undefined;
}

function Cells({ entry: { at, kind, detail, cost }, model, delta }: CellsProps) {
  const promised = model?.epsilon == null || model.delta === delta ? undefined : model;
  return (
    <>
      <td>{days.format(Date.parse(at)).replaceAll(' ', '\u00a0')}</td>
      <td>
        {model === undefined ? (
          <strong>{kindWords[kind]}</strong>
        ) : (
          <a href={`#/certificate/${encodeURIComponent(model.id)}`}>{model.id}</a>
        )}
      </td>
      <td class="number" data-label="ε">
        {cost === null ? '' : show(cost.epsilon)}
        {promised === undefined ? null : (
          <span class="micro">{` (${show(promised.epsilon)} at δ = ${formatNumber(promised.delta)})`}</span>
        )}
      </td>
      <td class="number" data-label="after">
        {cost === null ? '' : show(cost.after)}
      </td>
      <td class="small">{detail}</td>
    </>
  );
}

function Outcome({ entry: { finished } }: { entry: LedgerEntryView }) {
  return (
    <td>
      {finished === null ? null : (
        <span class={`chip ${finished ? 'good' : 'warn'}`}>
          {finished ? 'finished' : 'not finished, counts'}
        </span>
      )}
    </td>
  );
}

/** "2 Nov 2026", on one line. */
const days = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

function show(epsilon: number | null): string {
  return shownEpsilon(epsilon, 3);
}
