import { type LedgerState, stateAfter } from './account-state.js';
import type { ClockAhead } from './balance.js';
import { type CheckedState, checkedState } from './checked-state.js';
import { checkpointEvery, sealedCheckpoint } from './checkpoint.js';
import { type LedgerEntry, type LedgerEvent, nextEntry } from './entry.js';
import { sealedJob } from './job-row.js';
import { LedgerCorruptError } from './ledger-errors.js';
import { writeMark } from './ledger-mark.js';
import type { LedgerUse } from './ledger-requests.js';
import type { LedgerContent, LedgerStore, Lookup, NewRows } from './store.js';
import { checkWritable } from './writable-event.js';

/** How often to lose a race against other processes before making the decision with the ledger held. */
const lostRaces = 3;

/** What to append, and what to answer. */
export interface Decision<Result> {
  readonly account: string;
  /** Nothing is appended without it. */
  readonly event?: LedgerEvent;
  readonly job?: { readonly name: string; readonly snapshot: string };
  readonly result: (entry: LedgerEntry | undefined) => Result;
}

/** Makes decisions on a checked chain and appends what they say, one at a time among all processes. */
export class LedgerDecisions {
  readonly #store: LedgerStore;
  readonly #use: Pick<LedgerUse, 'markIn' | 'now'>;

  constructor(store: LedgerStore, use: Pick<LedgerUse, 'markIn' | 'now'>) {
    this.#store = store;
    this.#use = use;
  }

  /**
   * Reads, checks and decides without holding the ledger, then appends if nobody was faster; after
   * `lostRaces` lost races the ledger is held while deciding. `decide` has no side effects: it is called once
   * per try.
   */
  async decide<Result>(
    lookup: Lookup,
    decide: (checked: CheckedState, content: LedgerContent) => Decision<Result>,
  ): Promise<Result> {
    let used = lookup;
    for (let lost = 0; lost < lostRaces; lost++) {
      const { content, checked } = await this.#read(lookup);
      if (content.checkpoint === undefined) used = { ...lookup, whole: true };
      const made = this.#rowsOf(checked, decide(checked, content));
      if (made.rows.entries.length === 0) return made.result;
      if (await this.#store.append(checked.head, made.rows)) return await this.#marked(made);
    }
    const made = await this.#store.appendDeciding(used, (content) => {
      const checked = checkedState(this.#store.location, this.#store.key, content);
      if (checked === undefined)
        throw new LedgerCorruptError(
          this.#store.location,
          'its checkpoints',
          'they are not what was written',
        );
      const decided = this.#rowsOf(checked, decide(checked, content));
      return { rows: decided.rows, result: decided };
    });
    return await this.#marked(made);
  }

  #rowsOf<Result>({ head, state }: CheckedState, decision: Decision<Result>) {
    const { account, event, job, result } = decision;
    const none: NewRows = { entries: [], jobs: [], checkpoint: undefined };
    if (event === undefined) return { rows: none, result: result(undefined) };
    const { key } = this.#store;
    checkWritable(event);
    const entry = nextEntry(head, this.time(state), account, event);
    const rows: NewRows = {
      entries: [entry],
      jobs:
        job === undefined
          ? []
          : [
              sealedJob(key, {
                number: entry.number,
                entry: entry.hash,
                job: job.name,
                snapshot: job.snapshot,
              }),
            ],
      checkpoint:
        entry.number % checkpointEvery === 0
          ? sealedCheckpoint(key, entry, stateAfter(state, [entry]))
          : undefined,
    };
    return { rows, result: result(entry) };
  }

  /**
   * Moves the data set's mark on. A mark that cannot be written is no reason to lose a receipt: the old one
   * stays true.
   */
  async #marked<Result>({ rows, result }: { rows: NewRows; result: Result }): Promise<Result> {
    const last = rows.entries.at(-1);
    if (this.#use.markIn !== undefined && last !== undefined) {
      const { number, hash } = last;
      await writeMark(this.#use.markIn, { number, hash, ledger: this.#store.location }).catch(
        () => undefined,
      );
    }
    return result;
  }

  async #read(lookup: Lookup): Promise<{ content: LedgerContent; checked: CheckedState }> {
    const content = await this.#store.read(lookup);
    const checked = checkedState(this.#store.location, this.#store.key, content);
    if (checked !== undefined) return { content, checked };
    const whole = await this.#store.read({ ...lookup, whole: true });
    return { content: whole, checked: checkedState(this.#store.location, this.#store.key, whole)! };
  }

  async checked(lookup: Lookup): Promise<CheckedState> {
    return (await this.#read(lookup)).checked;
  }

  /** See `Balance.clock`. */
  clockAhead({ at }: LedgerState): ClockAhead | null {
    const now = this.#use.now?.() ?? new Date();
    return at !== '' && Date.parse(at) - now.getTime() > 86_400_000
      ? { newest: at, now: now.toISOString() }
      : null;
  }

  /** The clock, but never before the newest entry: a clock that was set back must not open a period again. */
  time({ at }: LedgerState): string {
    const now = (this.#use.now?.() ?? new Date()).toISOString();
    return now > at ? now : at;
  }
}
