import { randomBytes } from 'node:crypto';
import { canonicalJson } from '@hushrec/model';
import { type DeltaInput, PrivacyParameterError, promisedDelta } from '@hushrec/privacy';
import { type AccountState, freshAccount } from './account-state.js';
import { type Balance, balanceOf, sameProtection, spendsInPeriod, spentAgainst } from './balance.js';
import type { Charge, CountedCharge } from './charge.js';
import { type ChainHead, type LedgerEntry, type LedgerEvent, type Protection, readEntry } from './entry.js';
import { epsilonOfEqualRuns } from './equal-runs.js';
import { isSealedJob, jobName, snapshotName } from './job-row.js';
import { type Decision, LedgerDecisions } from './ledger-decisions.js';
import {
  BudgetExceededError,
  LedgerCorruptError,
  LedgerLostError,
  SpendRefusedError,
  UnprotectedRunError,
} from './ledger-errors.js';
import type { LedgerMark } from './ledger-mark.js';
import { LedgerPeople } from './ledger-people.js';
import type {
  GrantRequest,
  LedgerUse,
  PeopleElsewhere,
  Receipt,
  SpendRequest,
  UnprotectedRun,
} from './ledger-requests.js';
import { chargeAgainst } from './protection-change.js';
import type { LedgerContent, LedgerStore } from './store.js';

/**
 * The privacy budgets of accounts over all runs. Every decision is computed from a checked chain: the newest
 * entries (at least `alwaysChecked`) on top of a sealed checkpoint; `check` and `entries` go through all of
 * them.
 */
export class Ledger {
  readonly #store: LedgerStore;
  readonly #use: LedgerUse;
  readonly #decisions: LedgerDecisions;
  readonly #people: LedgerPeople;

  /** `openLedger` is the way to one. */
  constructor(store: LedgerStore, use: LedgerUse) {
    this.#store = store;
    this.#use = use;
    this.#decisions = new LedgerDecisions(store, use);
    this.#people = new LedgerPeople(store);
  }

  get location(): string {
    return this.#store.location;
  }

  /** Sets the total for an account. It may be below what is spent already; then nothing more can be spent. */
  grant(account: string, request: GrantRequest): Promise<LedgerEntry> {
    const { epsilon, delta, protection, period = null, note = '' } = request;
    if (!(epsilon >= 0 && epsilon < Infinity))
      throw new PrivacyParameterError(
        'epsilon',
        epsilon,
        'a finite number ≥ 0',
        'It is the total for all runs.',
      );
    promisedDelta(delta);
    return this.#append(account, { kind: 'grant', epsilon, delta, protection, period, note });
  }

  /** Stops all spending on an account until another grant. */
  refuse(account: string, note = ''): Promise<LedgerEntry> {
    return this.#append(account, { kind: 'refusal', note });
  }

  /** Writes down that entries were lost, and what happened. Spending may go on from what is left. */
  acceptLoss(account: string, lost: ChainHead, note: string): Promise<LedgerEntry> {
    const { number, hash } = lost;
    return this.#append(account, { kind: 'loss', lost: { number, hash }, note });
  }

  /** Gives an account a name, where it has another or none. */
  async nameAccount(account: string, name: string): Promise<void> {
    checkAccount(account);
    await this.#decisions.decide({}, ({ state }) => ({
      account,
      ...(state.accounts.get(account)?.name !== name && { event: { kind: 'account', name } as const }),
      result: () => undefined,
    }));
  }

  /**
   * Pays for a run, durably, before it releases anything. Throws `BudgetExceededError`, `SpendRefusedError`
   * or `UnprotectedRunError` when it may not run; then nothing was written. Two processes cannot spend the
   * same budget: an entry is only written if nothing was appended since the decision was made.
   */
  spend(request: SpendRequest): Promise<Receipt> {
    const { method, protection, charge, note = '' } = request;
    const event = { kind: 'spend', job: this.#randomName(), method, protection, charge, note } as const;
    return this.#appendJob(request, event, (state, now) => this.#admit(state, now, request));
  }

  /**
   * Admits a run without a finite proved cost. Where the account has a grant it is refused
   * (`UnprotectedRunError`) unless `told` to make it all the same; then it is recorded. Without a grant it is
   * recorded if told, and free to run if not. After `refuse` nothing runs, told or not.
   */
  async recordUnprotected(
    run: UnprotectedRun,
    options: { readonly told: boolean },
  ): Promise<Receipt | undefined> {
    if (!options.told) {
      const { grant, refused } = await this.#accountState(run.account);
      if (grant !== null || refused) throw new UnprotectedRunError(run.account, run.why);
      return undefined;
    }
    const { method, why, protection = null, charge = null, note = '' } = run;
    const job = this.#randomName();
    return this.#appendJob(
      run,
      { kind: 'unprotected', job, method, why, protection, charge, note },
      ({ refused }) => refuseStopped(run.account, refused),
    );
  }

  /** Notes that the run of a spend finished. Changes no sum. */
  async complete(account: string, receipt: Receipt, note = ''): Promise<void> {
    await this.#decisions.decide({ completionOf: receipt.entry }, (_, { isCompleted }) => ({
      account,
      ...(!isCompleted && { event: { kind: 'completion', spend: receipt.entry, note } as const }),
      result: () => undefined,
    }));
  }

  /**
   * Where an account stands; `delta` serves where no grant names one.
   *
   * @throws PrivacyParameterError for a δ at which no ε is a promise
   */
  async balance(account: string, delta: DeltaInput): Promise<Balance> {
    promisedDelta(delta);
    const { state } = await this.#decisions.checked({});
    return balanceOf(
      account,
      state.accounts.get(account) ?? freshAccount,
      this.#decisions.time(state),
      delta,
      this.#use.accountant,
    );
  }

  /**
   * ε of an account now and with one more run, as its grant counts; without a grant, of runs that protect the
   * same, at `delta`.
   */
  async preview(
    account: string,
    run: { readonly charge: Charge; readonly protection: Protection },
    delta: DeltaInput,
  ): Promise<{ readonly granted: number | null; readonly spent: number; readonly after: number }> {
    const { state } = await this.#decisions.checked({});
    const { grant, spends } = state.accounts.get(account) ?? freshAccount;
    const protection = grant?.protection ?? run.protection;
    const counted = spendsInPeriod(spends, grant, this.#decisions.time(state)).filter(
      (each) => grant !== null || sameProtection(each.protection, protection),
    );
    const cost = (all: Parameters<typeof spentAgainst>[0]) =>
      spentAgainst(all, protection, grant?.delta ?? delta, this.#use.accountant).epsilon;
    return {
      granted: grant?.epsilon ?? null,
      spent: cost(counted),
      after: cost([...counted, { ...run, count: 1 }]),
    };
  }

  /**
   * The largest ε of each of several equal runs to come, at the grant's δ, within what is left of an
   * account's grant; see `epsilonOfEqualRuns`. Undefined where there is no grant to stay within.
   */
  async planRuns(account: string, runs: number): Promise<number | undefined> {
    const { state } = await this.#decisions.checked({});
    const { grant, refused, spends } = state.accounts.get(account) ?? freshAccount;
    if (grant === null || refused) return undefined;
    const spent: CountedCharge[] = [];
    for (const { charge, protection, count, unprotected } of spendsInPeriod(
      spends,
      grant,
      this.#decisions.time(state),
    )) {
      const counted = chargeAgainst(charge, protection, grant.protection);
      if (counted !== undefined) spent.push({ charge: counted, count });
      else if (!unprotected) return 0;
    }
    const { epsilon, delta } = grant;
    return epsilonOfEqualRuns({ runs, epsilon, delta, spent, accountant: this.#use.accountant });
  }

  /**
   * Whether the run that an entry paid for was trained on this content of its data set; undefined where the
   * ledger does not know, because the entry is not in it or named no content.
   */
  async wasTrainedOn(entry: string, snapshot: string): Promise<boolean | undefined> {
    const row = (await this.#store.jobs()).find((each) => each.entry === entry);
    if (row === undefined || row.snapshot === '') return undefined;
    const { key } = this.#store;
    if (!isSealedJob(key, row))
      throw new LedgerCorruptError(
        this.location,
        row.number,
        'which job it paid for is not what was written',
      );
    return row.snapshot === snapshotName(key, snapshot);
  }

  /** Every account that the ledger knows, by id. */
  async accounts(): Promise<ReadonlyMap<string, AccountState>> {
    return (await this.#decisions.checked({})).state.accounts;
  }

  /** Every entry of every account, after checking that none was changed. */
  async entries(): Promise<readonly LedgerEntry[]> {
    return (await this.#decisions.checked({ whole: true })).entries;
  }

  /** The newest entries of an account, newest last, of those that every decision checks. */
  async recentEntries(account: string, most: number): Promise<readonly LedgerEntry[]> {
    const { entries } = await this.#decisions.checked({});
    return entries.filter((entry) => entry.account === account).slice(-most);
  }

  /**
   * Checks everything the ledger holds: the whole chain, and every row beside it. Throws
   * `LedgerCorruptError`.
   */
  async check(): Promise<ChainHead> {
    const { entries, head } = await this.#decisions.checked({ whole: true });
    const { key, location } = this.#store;
    const jobs = new Map((await this.#store.jobs()).map((row) => [row.number, row]));
    for (const { number, hash, event } of entries) {
      if (event.kind !== 'spend' && event.kind !== 'unprotected') continue;
      const row = jobs.get(number);
      if (row === undefined || row.entry !== hash || !isSealedJob(key, row))
        throw new LedgerCorruptError(location, number, 'which job it paid for is not what was written');
    }
    await this.#people.checked();
    return head;
  }

  /** Number and hash of the newest entry. */
  async head(): Promise<ChainHead> {
    return (await this.#decisions.checked({})).head;
  }

  /**
   * Throws unless the ledger still holds this entry: the `ledgerEntry` of a certificate, or a head noted down
   * earlier. Notices a ledger that was replaced by a shorter one, which no chain can do on its own.
   */
  async expectEntry(hash: string): Promise<void> {
    const entries = await this.entries();
    if (!entries.some((entry) => entry.hash === hash))
      throw new LedgerCorruptError(
        this.location,
        entries.length + 1,
        `an entry that was once in it (${hash}) is gone`,
      );
  }

  /** The same for a mark, which knows the entry's number: one row is read, however long the ledger is. */
  async expectMark(mark: LedgerMark): Promise<void> {
    const { head } = await this.#decisions.checked({});
    if (mark.number === 0) return;
    const stored = mark.number <= head.number ? await this.#store.entry(mark.number) : undefined;
    if (stored?.hash === mark.hash) return;
    throw new LedgerLostError(
      this.location,
      stored === undefined
        ? `it ends at entry ${head.number}, but had come to entry ${mark.number} when this data set last used it (${mark.ledger})`
        : `its entry ${mark.number} is not the one that was there when this data set last used it (${mark.ledger})`,
    );
  }

  /** Adds people to those an account stands for. */
  async addPeople(account: string, ids: Iterable<string>): Promise<void> {
    checkAccount(account);
    await this.#people.add(account, ids);
  }

  /** Whether the ledger knows whom an account stands for. */
  knowsPeople(account: string): Promise<boolean> {
    return this.#people.knows(account);
  }

  /**
   * Which other accounts stand for people with these ids, for how large a share of them, and of their own;
   * and how many of them all together. `into` is the account that they are to be in; what it stands for
   * already is with them.
   */
  async sharedWith(ids: Iterable<string>, into?: string): Promise<PeopleElsewhere> {
    return this.#people.sharedWith(ids, into, await this.accounts());
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  #admit(state: AccountState, now: string, request: SpendRequest): void {
    const { account, charge, protection } = request;
    const { grant, refused } = state;
    refuseStopped(account, refused);
    if (grant === null) return;
    if (chargeAgainst(charge, protection, grant.protection) === undefined) {
      throw new UnprotectedRunError(
        account,
        `the budget protects ${grant.protection.unit} (${grant.protection.relation}), the run ` +
          `${protection.unit} (${protection.relation})`,
      );
    }
    const total = spentAgainst(
      [...spendsInPeriod(state.spends, grant, now), { charge, protection, count: 1 }],
      grant.protection,
      grant.delta,
      this.#use.accountant,
    );
    if (!(total.epsilon <= grant.epsilon)) throw new BudgetExceededError(account, grant, total.epsilon);
  }

  /** Appends the entry of a job once: a job that is there already is found again and costs nothing. */
  #appendJob(
    asked: { readonly account: string; readonly jobKey: string; readonly snapshot?: string },
    event: Extract<LedgerEvent, { kind: 'spend' | 'unprotected' }>,
    admit: (state: AccountState, now: string) => void,
  ): Promise<Receipt> {
    const { account } = asked;
    checkAccount(account);
    const { key } = this.#store;
    const name = jobName(key, account, event.kind, asked.jobKey);
    return this.#decisions.decide({ job: name }, ({ state }, content): Decision<Receipt> => {
      const paid = this.#paidJob(content);
      if (paid !== undefined) {
        if (canonicalJson(chargeOf(paid.event)) !== canonicalJson(event.charge))
          throw new SpendRefusedError(
            account,
            'this job was paid for with another charge. Start it as a new job.',
          );
        return { account, result: () => ({ entry: paid.hash, number: paid.number, resumed: true }) };
      }
      admit(state.accounts.get(account) ?? freshAccount, this.#decisions.time(state));
      return {
        account,
        event,
        job: { name, snapshot: snapshotName(key, asked.snapshot) },
        result: (entry) => ({ entry: entry!.hash, number: entry!.number, resumed: false }),
      };
    });
  }

  /** The entry that paid for the job that was looked up, if one did. */
  #paidJob({ job }: LedgerContent): LedgerEntry | undefined {
    if (job === undefined) return undefined;
    const { row, entry: stored } = job;
    const entry = stored === undefined ? 'it is gone' : readEntry(stored);
    if (typeof entry === 'string') throw new LedgerCorruptError(this.location, row.number, entry);
    if (row.entry !== entry.hash || !isSealedJob(this.#store.key, row))
      throw new LedgerCorruptError(
        this.location,
        row.number,
        'which job it paid for is not what was written',
      );
    return entry;
  }

  #append(account: string, event: LedgerEvent): Promise<LedgerEntry> {
    checkAccount(account);
    return this.#decisions.decide({}, () => ({ account, event, result: (entry) => entry! }));
  }

  async #accountState(account: string): Promise<AccountState> {
    return (await this.accounts()).get(account) ?? freshAccount;
  }

  #randomName(): string {
    return this.#use.randomName?.() ?? randomBytes(16).toString('hex');
  }
}

function checkAccount(account: string): void {
  if (!/^[0-9a-f]{32}$/.test(account))
    throw new TypeError('An account is named by its random id: 32 hexadecimal digits.');
}

function refuseStopped(account: string, refused: boolean): void {
  if (refused) throw new SpendRefusedError(account, 'spending was stopped. A new grant opens it again.');
}

function chargeOf(event: LedgerEvent): Charge | null {
  return event.kind === 'spend' || event.kind === 'unprotected' ? event.charge : null;
}
