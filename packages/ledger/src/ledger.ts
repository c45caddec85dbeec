import { canonicalJson } from '@hushrec/model';
import { delta as checkedDelta, PrivacyParameterError } from '@hushrec/privacy';
import { type Balance, balanceOf, type Grant, spendsOf, spentAgainst, standingOf } from './balance.js';
import type { Accountant, Charge } from './charge.js';
import {
  type ChainHead,
  checkChain,
  type LedgerEntry,
  type LedgerEvent,
  nextEntry,
  type Protection,
} from './entry.js';
import { BudgetExceededError, LedgerCorruptError, SpendRefusedError } from './ledger-errors.js';
import { chargeAgainst } from './protection-change.js';
import type { LedgerContent, LedgerStore } from './store.js';

/** What a run asks the ledger for, before its first release. */
export interface SpendRequest {
  readonly dataset: string;
  /** See `jobKeyOf`. A key that was paid for is never charged again. */
  readonly jobKey: string;
  readonly method: string;
  readonly protection: Protection;
  readonly charge: Charge;
  readonly note?: string;
}

/** Proof that a run is paid for. `entry` goes into the certificate. */
export interface Receipt {
  readonly entry: string;
  readonly number: number;
  /** The same job was paid for before; nothing was charged now. */
  readonly resumed: boolean;
}

/** The privacy budget of data sets over all runs. Every answer is computed from a checked chain of entries. */
export class Ledger {
  readonly #store: LedgerStore;
  readonly #accountant: Accountant;
  readonly #now: () => Date;

  constructor(store: LedgerStore, accountant: Accountant, now: () => Date = () => new Date()) {
    this.#store = store;
    this.#accountant = accountant;
    this.#now = now;
  }

  get location(): string {
    return this.#store.location;
  }

  /** Sets the total for a data set. It may be below what is spent already; then nothing more can be spent. */
  grant(
    dataset: string,
    grant: Omit<Grant, 'kind' | 'note'> & { readonly note?: string },
  ): Promise<LedgerEntry> {
    const { epsilon, delta, protection, note = '' } = grant;
    if (!(epsilon >= 0 && epsilon < Infinity))
      throw new PrivacyParameterError(
        'epsilon',
        epsilon,
        'a finite number ≥ 0',
        'It is the total for all runs.',
      );
    checkedDelta(delta);
    return this.#append(dataset, { kind: 'grant', epsilon, delta, protection, note });
  }

  /** Stops all spending on a data set until another grant. */
  refuse(dataset: string, note = ''): Promise<LedgerEntry> {
    return this.#append(dataset, { kind: 'refusal', note });
  }

  /**
   * Pays for a run, durably, before it releases anything. Throws `BudgetExceededError` or `SpendRefusedError` when it
   * may not run; then nothing was written. Two processes cannot spend the same budget: the decision and the entry are
   * one transaction.
   */
  spend(request: SpendRequest): Promise<Receipt> {
    return this.#store.append<Receipt>((content) => {
      checkChain(content.entries, content.head);
      const event: LedgerEvent = {
        kind: 'spend',
        jobKey: request.jobKey,
        method: request.method,
        protection: request.protection,
        charge: request.charge,
        note: request.note ?? '',
      };
      const paid = content.entries.find(
        (each) =>
          each.dataset === request.dataset &&
          each.event.kind === 'spend' &&
          each.event.jobKey === request.jobKey,
      );
      if (paid?.event.kind === 'spend') {
        if (canonicalJson(paid.event.charge) !== canonicalJson(request.charge)) {
          throw new SpendRefusedError(
            request.dataset,
            'this job was paid for with another charge. Start it as a new job.',
          );
        }
        return { append: [], result: { entry: paid.hash, number: paid.number, resumed: true } };
      }
      this.#admit(content, request);
      const entry = nextEntry(content.head, this.#now().toISOString(), request.dataset, event);
      return { append: [entry], result: { entry: entry.hash, number: entry.number, resumed: false } };
    });
  }

  /** Notes that the run of a spend finished. Changes no sum. */
  async complete(dataset: string, receipt: Receipt, note = ''): Promise<void> {
    await this.#store.append<void>((content) => {
      checkChain(content.entries, content.head);
      const known = content.entries.some(
        ({ event }) => event.kind === 'completion' && event.spend === receipt.entry,
      );
      const event: LedgerEvent = { kind: 'completion', spend: receipt.entry, note };
      return {
        append: known ? [] : [nextEntry(content.head, this.#now().toISOString(), dataset, event)],
        result: undefined,
      };
    });
  }

  /** Where a data set stands; `delta` serves where no grant names one. */
  async balance(dataset: string, delta: number): Promise<Balance> {
    const own = (await this.entries()).filter((each) => each.dataset === dataset);
    return balanceOf(dataset, own, delta, this.#accountant);
  }

  /** Every entry of every data set, after checking that none was changed. */
  async entries(): Promise<readonly LedgerEntry[]> {
    const content = await this.#store.read();
    checkChain(content.entries, content.head);
    return content.entries;
  }

  /** Number and hash of the newest entry. Keep it elsewhere to notice a ledger that was replaced as a whole. */
  async head(): Promise<ChainHead> {
    return (await this.#store.read()).head;
  }

  /**
   * Throws unless the ledger still holds this entry: the `ledgerEntry` of a certificate, or a head noted down earlier.
   * Notices a ledger that was replaced by a shorter one, which no chain can do on its own.
   */
  async expectEntry(hash: string): Promise<void> {
    const entries = await this.entries();
    if (!entries.some((entry) => entry.hash === hash))
      throw new LedgerCorruptError(entries.length + 1, `an entry that was once in it (${hash}) is gone.`);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  #admit({ entries }: LedgerContent, request: SpendRequest): void {
    const own = entries.filter(({ dataset }) => dataset === request.dataset);
    const { grant, refused } = standingOf(own);
    if (refused)
      throw new SpendRefusedError(request.dataset, 'spending was stopped. A new grant opens it again.');
    if (grant === null) return;
    const events = spendsOf(own).map(({ event }) => event);
    if (chargeAgainst(request.charge, request.protection, grant.protection) === undefined) {
      throw new SpendRefusedError(
        request.dataset,
        `the budget protects ${grant.protection.unit} (${grant.protection.relation}); a run that protects ` +
          `${request.protection.unit} (${request.protection.relation}) has no finite cost against it.`,
      );
    }
    const total = spentAgainst([...events, request], grant.protection, grant.delta, this.#accountant);
    if (!(total.epsilon <= grant.epsilon)) {
      throw new BudgetExceededError(request.dataset, grant.epsilon, total.epsilon, grant.delta);
    }
  }

  #append(dataset: string, event: LedgerEvent): Promise<LedgerEntry> {
    if (!/^[0-9a-f]{64}$/.test(dataset))
      throw new TypeError('A data set is named by its content hash: 64 hexadecimal digits.');
    return this.#store.append((content) => {
      checkChain(content.entries, content.head);
      const entry = nextEntry(content.head, this.#now().toISOString(), dataset, event);
      return { append: [entry], result: entry };
    });
  }
}
