import { randomBytes } from 'node:crypto';
import type { AccountStatement } from '@hushrec/model';
import { canonicalJson } from '@hushrec/model/signing';
import { type DeltaInput, PrivacyParameterError, promisedDelta, roundUpEpsilon } from '@hushrec/privacy';
import {
  type AccountState,
  areDifferent,
  grantsOf,
  isIdle,
  isLimited,
  type LedgerState,
  rootOf,
  stateOf,
} from './account-state.js';
import { type Balance, balanceOf, spendsInPeriod, spentAgainst, spentByAll } from './balance.js';
import type { Charge, CountedCharge } from './charge.js';
import {
  type ChainHead,
  type LedgerEntry,
  type LedgerEvent,
  type Protection,
  readEntry,
  sameProtection,
} from './entry.js';
import { epsilonOfEqualRuns } from './equal-runs.js';
import { isSealedJob, jobName, snapshotName } from './job-row.js';
import { type Decision, LedgerDecisions } from './ledger-decisions.js';
import {
  BudgetExceededError,
  LedgerCorruptError,
  LedgerLostError,
  SharedPeopleError,
  SpendRefusedError,
  UnprotectedRunError,
} from './ledger-errors.js';
import type { LedgerMark } from './ledger-mark.js';
import { accountsAtStake, LedgerPeople } from './ledger-people.js';
import type {
  GrantRequest,
  LedgerUse,
  PeopleElsewhere,
  Receipt,
  SpendRequest,
  UnprotectedRun,
} from './ledger-requests.js';
import type { PeopleRow } from './people-sketch.js';
import { chargeAgainst } from './protection-change.js';
import { answerWords, callableName, percent } from './shared-people-words.js';
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

  /**
   * Sets the total for an account. It may be below what is spent already; then nothing more can be spent.
   *
   * @throws SharedPeopleError where another account with a limit or spends holds about the same people, until
   * the two are merged or declared different: what that one spends would not be counted
   */
  grant(account: string, request: GrantRequest): Promise<LedgerEntry> {
    const { epsilon, delta, protection, period = null, note = '' } = request;
    if (typeof epsilon !== 'number' || !(epsilon >= 0 && epsilon < Infinity))
      throw new PrivacyParameterError(
        'epsilon',
        epsilon,
        'a finite number ≥ 0',
        'It is the total for all runs.',
      );
    promisedDelta(delta);
    checkAccount(account);
    const event = { kind: 'grant', epsilon, delta, protection, period, note } as const;
    return this.#withPeople((people) =>
      this.#decisions.decide({}, ({ state: { accounts } }) => {
        refuseOverlaps({ account, accounts, people, isLimited: true, asked: 'A budget for' });
        return { account: rootOf(accounts, account), event, result: (entry) => entry! };
      }),
    );
  }

  /**
   * Makes one account of two: from now on what both spent counts together, the stricter grant holds until a
   * new one is made, and both ids and names stand for `account`. Undefined where they were one already.
   */
  merge(account: string, other: string, note = ''): Promise<LedgerEntry | undefined> {
    checkAccount(account);
    checkAccount(other);
    return this.#decisions.decide({}, ({ state: { accounts } }) => {
      const [into, absorbed] = [rootOf(accounts, account), rootOf(accounts, other)];
      return {
        account: into,
        ...(into !== absorbed && { event: { kind: 'merge', other: absorbed, note } as const }),
        result: (entry) => entry,
      };
    });
  }

  /**
   * Writes down that two accounts hold different people, whose ids only look alike: they are not compared any
   * more. Undefined where that was said before.
   *
   * @throws SpendRefusedError where they were merged, which is never undone
   */
  declareDifferent(account: string, other: string, note = ''): Promise<LedgerEntry | undefined> {
    checkAccount(account);
    checkAccount(other);
    return this.#decisions.decide({}, ({ state: { accounts } }) => {
      const [one, two] = [rootOf(accounts, account), rootOf(accounts, other)];
      if (one === two)
        throw new SpendRefusedError(one, 'both names stand for one account, and no merge is undone.');
      return {
        account: one,
        ...(!areDifferent(accounts, one, two) && { event: { kind: 'different', other: two, note } as const }),
        result: (entry) => entry,
      };
    });
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
   * Pays for a run, durably, before it releases anything. Throws `BudgetExceededError`, `SpendRefusedError`,
   * `UnprotectedRunError` or `SharedPeopleError` (another account stands for about the same people, and one
   * of the two has a limit) when it may not run; then nothing was written. Two processes cannot spend the
   * same budget: an entry is only written if nothing was appended since the decision was made.
   */
  spend(request: SpendRequest): Promise<Receipt> {
    const { account, method, protection, charge, note = '' } = request;
    const event = { kind: 'spend', job: this.#randomName(), method, protection, charge, note } as const;
    return this.#withPeople((people) =>
      this.#appendJob(request, event, (own, state) => {
        refuseStopped(account, own.refused);
        refuseOverlaps({
          ...{ account, accounts: state.accounts, people, isLimited: isLimited(own) },
          asked: 'Spending on',
        });
        this.#admit(own, state, request);
      }),
    );
  }

  /**
   * Admits a run without a finite proved cost, and records it. Where the account, or another one that stands
   * for about the same people, has a grant it is refused (`UnprotectedRunError`, `SharedPeopleError`) unless
   * `told` to make it all the same. After `refuse` nothing runs, told or not.
   */
  recordUnprotected(run: UnprotectedRun, { told }: { readonly told: boolean }): Promise<Receipt> {
    const { method, why, protection = null, charge = null, note = '' } = run;
    const job = this.#randomName();
    const event = { kind: 'unprotected', job, method, why, protection, charge, note } as const;
    const { account } = run;
    return this.#withPeople((people) =>
      this.#appendJob(run, event, (own, { accounts }) => {
        if (!told && isLimited(own)) throw new UnprotectedRunError(account, why);
        refuseStopped(account, own.refused);
        if (!told)
          refuseOverlaps({ account, accounts, people, isLimited: false, asked: 'An unprotected run on' });
      }),
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
    const time = { now: this.#decisions.time(state), clock: this.#decisions.clockAhead(state) };
    return balanceOf(account, state, time, delta, this.#use.accountant);
  }

  /**
   * What a certificate says of the account it was charged to: what is granted, and what all runs have spent
   * so far, the one that was just paid for included, over all time, at the grant's δ (or `delta`) and rounded
   * up. It is ε for what the grant protects, or else the run. Charges follow from plans, which are public
   * settings: no number here is a function of the ratings.
   */
  async statement(account: string, protection: Protection, delta: DeltaInput): Promise<AccountStatement> {
    promisedDelta(delta);
    const { state } = await this.#decisions.checked({});
    const own = stateOf(state.accounts, account);
    const { grant } = own;
    const { spent, uncovered } = spentByAll(
      own,
      grant?.protection ?? protection,
      grant?.delta ?? delta,
      this.#use.accountant,
    );
    return {
      granted: grant && {
        epsilon: grant.epsilon,
        delta: grant.delta,
        ...(grant.period !== null && { period: grant.period }),
      },
      spent: {
        epsilon: Number.isFinite(spent.epsilon) ? roundUpEpsilon(spent.epsilon) : null,
        delta: spent.delta,
      },
      ...(uncovered > 0 && { unprotectedRuns: uncovered }),
    };
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
    const own = stateOf(state.accounts, account);
    const grants = grantsOf(own);
    const previews = (grants.length === 0 ? [null] : grants).map((grant) => {
      const protection = grant?.protection ?? run.protection;
      const counted = spendsInPeriod(own.spends, grant, this.#decisions.time(state)).filter(
        (each) => grant !== null || sameProtection(each.protection, protection),
      );
      const cost = (all: Parameters<typeof spentAgainst>[0]) =>
        spentAgainst(all, protection, grant?.delta ?? delta, this.#use.accountant).epsilon;
      return {
        granted: grant?.epsilon ?? null,
        spent: cost(counted),
        after: cost([...counted, { ...run, count: 1 }]),
      };
    });
    // Of several limits, one that the run would break.
    return previews.find(({ granted, after }) => granted !== null && !(after <= granted)) ?? previews[0];
  }

  /**
   * The largest ε of each of several equal runs to come, at the grant's δ, within what is left of an
   * account's grant; see `epsilonOfEqualRuns`. Undefined where there is no grant to stay within.
   */
  async planRuns(account: string, runs: number): Promise<number | undefined> {
    const { state } = await this.#decisions.checked({});
    const own = stateOf(state.accounts, account);
    if (own.grant === null || own.refused) return undefined;
    const now = this.#decisions.time(state);
    const [budget, ...also] = grantsOf(own).map((grant) => {
      const charges = spendsInPeriod(own.spends, grant, now).map((each) => ({
        ...each,
        charge: chargeAgainst(each.charge, each.protection, grant.protection),
      }));
      const spent = charges.filter((each): each is typeof each & CountedCharge => each.charge !== undefined);
      const isWithoutBound = charges.some(({ charge, unprotected }) => charge === undefined && !unprotected);
      return { epsilon: isWithoutBound ? 0 : grant.epsilon, delta: grant.delta, spent };
    });
    if ([budget, ...also].some(({ epsilon }) => epsilon === 0)) return 0;
    return epsilonOfEqualRuns({ runs, ...budget, also, accountant: this.#use.accountant });
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

  /**
   * Every account that the ledger knows, by id. An id that was merged into another account has its own name,
   * and for the rest the state of that account.
   */
  async accounts(): Promise<ReadonlyMap<string, AccountState>> {
    const { accounts } = (await this.#decisions.checked({})).state;
    return new Map(
      [...accounts].map(([id, own]) => [
        id,
        own.mergedInto === undefined
          ? own
          : { ...stateOf(accounts, id), name: own.name, mergedInto: rootOf(accounts, id) },
      ]),
    );
  }

  /** Every entry of every account, after checking that none was changed. */
  async entries(): Promise<readonly LedgerEntry[]> {
    return (await this.#decisions.checked({ whole: true })).entries;
  }

  /** The newest entries of an account, newest last, of those that every decision checks. */
  async recentEntries(account: string, most: number): Promise<readonly LedgerEntry[]> {
    const { entries, state } = await this.#decisions.checked({});
    const root = rootOf(state.accounts, account);
    return entries.filter((entry) => rootOf(state.accounts, entry.account) === root).slice(-most);
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
  async knowsPeople(account: string): Promise<boolean> {
    return this.#people.knows(account, (await this.#decisions.checked({})).state.accounts);
  }

  /**
   * Which other accounts stand for people with these ids, for how large a share of them, and of their own;
   * and how many of them all together. `into` is the account that they are to be in; what it stands for
   * already is with them. Accounts that were declared different from it are left out.
   */
  async sharedWith(ids: Iterable<string>, into?: string): Promise<PeopleElsewhere> {
    return this.#people.sharedWith(ids, into, (await this.#decisions.checked({})).state.accounts);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  #admit(own: AccountState, state: LedgerState, { account, charge, protection }: SpendRequest): void {
    const now = this.#decisions.time(state);
    for (const grant of grantsOf(own)) {
      if (chargeAgainst(charge, protection, grant.protection) === undefined) {
        throw new UnprotectedRunError(
          account,
          `the budget protects ${grant.protection.unit} (${grant.protection.relation}), the run ` +
            `${protection.unit} (${protection.relation})`,
        );
      }
      const total = spentAgainst(
        [...spendsInPeriod(own.spends, grant, now), { charge, protection, count: 1 }],
        grant.protection,
        grant.delta,
        this.#use.accountant,
      );
      if (!(total.epsilon <= grant.epsilon))
        throw new BudgetExceededError(account, grant, total.epsilon, this.#decisions.clockAhead(state));
    }
  }

  /**
   * Decides, with the sketches of people where the decision asks for them: where an account is there that
   * would matter if it stood for the same people. Most ledgers have none.
   */
  async #withPeople<Result>(
    decide: (people: readonly PeopleRow[] | undefined) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await decide(undefined);
    } catch (error) {
      if (error !== peopleNeeded) throw error;
    }
    return decide(await this.#people.checked());
  }

  /** Appends the entry of a job once: a job that is there already is found again and costs nothing. */
  #appendJob(
    asked: { readonly account: string; readonly jobKey: string; readonly snapshot?: string },
    event: Extract<LedgerEvent, { kind: 'spend' | 'unprotected' }>,
    admit: (own: AccountState, state: LedgerState) => void,
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
      admit(stateOf(state.accounts, account), state);
      return {
        account: rootOf(state.accounts, account),
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

  #randomName(): string {
    return this.#use.randomName?.() ?? randomBytes(16).toString('hex');
  }
}

function checkAccount(account: string): void {
  if (!/^[0-9a-f]{32}$/.test(account))
    throw new TypeError('An account is named by its random id: 32 hexadecimal digits.');
}

/** Thrown by a decision that cannot be made without the sketches of people. */
const peopleNeeded = new Error('The sketches of people are needed.');

/**
 * @throws SharedPeopleError where another account stands for about the same people and a budget is at stake
 */
function refuseOverlaps(asked: {
  readonly account: string;
  readonly accounts: ReadonlyMap<string, AccountState>;
  readonly people: readonly PeopleRow[] | undefined;
  /** Whether the account has a limit, or gets one. */
  readonly isLimited: boolean;
  /** What is refused, in words. */
  readonly asked: string;
}): void {
  const { account, accounts, people } = asked;
  const root = rootOf(accounts, account);
  const isCounting = (state: AccountState) => isLimited(state) || (asked.isLimited && !isIdle(state));
  const others = [...accounts].filter(
    ([id, state]) => id !== root && isCounting(state) && !areDifferent(accounts, root, id),
  );
  if (others.length === 0) return;
  if (people === undefined) throw peopleNeeded;
  const shared = accountsAtStake(people, root, asked.isLimited, accounts);
  if (shared.length === 0) return;
  const own = callableName(accounts, root);
  const found = shared.map((each) => {
    const why = each.hasGrant ? 'has a limit of its own' : 'has spent already';
    const share = Math.max(each.share, each.accountShare);
    return `account ${callableName(accounts, each.account)} (${each.account}) holds about ${percent(share)} of the same people, by their ids, and ${why}`;
  });
  throw new SharedPeopleError(
    `${asked.asked} account ${own} alone would not hold for its people: ${found.join('; ')}. ${answerWords(accounts, root, shared)} Then try again.`,
    shared[0],
  );
}

function refuseStopped(account: string, refused: boolean): void {
  if (refused) throw new SpendRefusedError(account, 'spending was stopped. A new grant opens it again.');
}

function chargeOf(event: LedgerEvent): Charge | null {
  return event.kind === 'spend' || event.kind === 'unprotected' ? event.charge : null;
}
