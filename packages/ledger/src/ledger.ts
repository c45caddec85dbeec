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
import {
  BudgetExceededError,
  LedgerCorruptError,
  SpendRefusedError,
  UnprotectedRunError,
} from './ledger-errors.js';
import { chargeAgainst } from './protection-change.js';
import type { LedgerContent, LedgerStore } from './store.js';

/** What a run asks the ledger for, before its first release. */
export interface SpendRequest {
  readonly account: string;
  /** See `jobKeyOf`. A key that was paid for is never charged again. */
  readonly jobKey: string;
  readonly method: string;
  readonly protection: Protection;
  readonly charge: Charge;
  /** Content hash of the data trained on. The ledger keeps a keyed hash of it, never the hash itself. */
  readonly snapshot?: string;
  readonly note?: string;
}

/** A run without a finite proved cost: no noise, a seed that anyone may know, or a guarantee for less than a person. */
export interface UnprotectedRun {
  readonly account: string;
  readonly jobKey: string;
  readonly method: string;
  /** In words, for the refusal and the record. */
  readonly why: string;
  /** What it protects all the same, where it does. */
  readonly protection?: Protection;
  readonly charge?: Charge;
  readonly snapshot?: string;
  readonly note?: string;
}

/** Proof that a run is paid for. `entry` goes into the certificate. */
export interface Receipt {
  readonly entry: string;
  readonly number: number;
  /** The same job was paid for before; nothing was charged now. */
  readonly resumed: boolean;
}

/** The privacy budgets of accounts over all runs. Every answer is computed from a checked chain of entries. */
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

  /** Sets the total for an account. It may be below what is spent already; then nothing more can be spent. */
  grant(
    account: string,
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
    return this.#append(account, { kind: 'grant', epsilon, delta, protection, note });
  }

  /** Stops all spending on an account until another grant. */
  refuse(account: string, note = ''): Promise<LedgerEntry> {
    return this.#append(account, { kind: 'refusal', note });
  }

  /**
   * Pays for a run, durably, before it releases anything. Throws `BudgetExceededError` or `SpendRefusedError` when it
   * may not run; then nothing was written. Two processes cannot spend the same budget: the decision and the entry are
   * one transaction.
   */
  spend(request: SpendRequest): Promise<Receipt> {
    const event: LedgerEvent = {
      kind: 'spend',
      jobKey: request.jobKey,
      method: request.method,
      protection: request.protection,
      charge: request.charge,
      note: request.note ?? '',
    };
    return this.#appendJob(request.account, event, (content) => this.#admit(content, request));
  }

  /**
   * Admits a run without a finite proved cost. Where the account has a grant it is refused (`UnprotectedRunError`) unless
   * `told` to make it all the same; then it is recorded. Without a grant it is recorded if told, and free to run if not.
   */
  async recordUnprotected(
    run: UnprotectedRun,
    options: { readonly told: boolean },
  ): Promise<Receipt | undefined> {
    if (!options.told) {
      const own = (await this.entries()).filter(({ account }) => account === run.account);
      const { grant, refused } = standingOf(own);
      if (grant !== null || refused) throw new UnprotectedRunError(run.account, run.why);
      return undefined;
    }
    const event: LedgerEvent = {
      kind: 'unprotected',
      jobKey: run.jobKey,
      method: run.method,
      why: run.why,
      protection: run.protection ?? null,
      charge: run.charge ?? null,
      note: run.note ?? '',
    };
    return this.#appendJob(run.account, event, () => undefined);
  }

  /** Notes that the run of a spend finished. Changes no sum. */
  async complete(account: string, receipt: Receipt, note = ''): Promise<void> {
    await this.#store.append<void>((content) => {
      checkChain(content.entries, content.head);
      const known = content.entries.some(
        ({ event }) => event.kind === 'completion' && event.spend === receipt.entry,
      );
      const event: LedgerEvent = { kind: 'completion', spend: receipt.entry, note };
      return {
        append: known ? [] : [nextEntry(content.head, this.#now().toISOString(), account, event)],
        result: undefined,
      };
    });
  }

  /** Where an account stands; `delta` serves where no grant names one. */
  async balance(account: string, delta: number): Promise<Balance> {
    const own = (await this.entries()).filter((each) => each.account === account);
    return balanceOf(account, own, delta, this.#accountant);
  }

  /** Every entry of every account, after checking that none was changed. */
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

  /** Appends the entry of a job once: a job that is there already is found again and costs nothing. */
  #appendJob(
    account: string,
    event: Extract<LedgerEvent, { kind: 'spend' | 'unprotected' }>,
    admit: (content: LedgerContent) => void,
  ): Promise<Receipt> {
    return this.#store.append<Receipt>((content) => {
      checkChain(content.entries, content.head);
      const paid = content.entries.find(
        (each) =>
          each.account === account && each.event.kind === event.kind && each.event.jobKey === event.jobKey,
      );
      if (paid?.event.kind === 'spend' || paid?.event.kind === 'unprotected') {
        if (canonicalJson(paid.event.charge) !== canonicalJson(event.charge)) {
          throw new SpendRefusedError(
            account,
            'this job was paid for with another charge. Start it as a new job.',
          );
        }
        return { append: [], result: { entry: paid.hash, number: paid.number, resumed: true } };
      }
      admit(content);
      const entry = nextEntry(content.head, this.#now().toISOString(), account, event);
      return { append: [entry], result: { entry: entry.hash, number: entry.number, resumed: false } };
    });
  }

  #admit({ entries }: LedgerContent, request: SpendRequest): void {
    const own = entries.filter(({ account }) => account === request.account);
    const { grant, refused } = standingOf(own);
    if (refused)
      throw new SpendRefusedError(request.account, 'spending was stopped. A new grant opens it again.');
    if (grant === null) return;
    const events = spendsOf(own).map(({ event }) => event);
    if (chargeAgainst(request.charge, request.protection, grant.protection) === undefined) {
      throw new UnprotectedRunError(
        request.account,
        `the budget protects ${grant.protection.unit} (${grant.protection.relation}), the run ` +
          `${request.protection.unit} (${request.protection.relation})`,
      );
    }
    const total = spentAgainst([...events, request], grant.protection, grant.delta, this.#accountant);
    if (!(total.epsilon <= grant.epsilon)) {
      throw new BudgetExceededError(request.account, grant.epsilon, total.epsilon, grant.delta);
    }
  }

  #append(account: string, event: LedgerEvent): Promise<LedgerEntry> {
    if (!/^[0-9a-f]{32}$/.test(account))
      throw new TypeError('An account is named by its random id: 32 hexadecimal digits.');
    return this.#store.append((content) => {
      checkChain(content.entries, content.head);
      const entry = nextEntry(content.head, this.#now().toISOString(), account, event);
      return { append: [entry], result: entry };
    });
  }
}
