import { canonicalJson } from '@hushrec/model/signing';
import type { Charge } from './charge.js';
import { type LedgerEntry, type LedgerEvent, type Protection, sameProtection } from './entry.js';

export type Grant = Omit<Extract<LedgerEvent, { kind: 'grant' }>, 'kind'> & {
  /** When it was granted. */
  readonly at: string;
};

/** Equal runs of one day. A decision then costs what the account's different charges do, not its runs. */
export interface SpendGroup {
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  readonly protection: Protection;
  readonly charge: Charge;
  readonly count: number;
  /**
   * Made without a finite cost against the grant of its time: counts only against budgets that it does
   * protect.
   */
  readonly unprotected?: true;
}

/** Where one account stands: all that later decisions need of its entries. */
export interface AccountState {
  readonly name: string | null;
  /** Of several grants after a merge, the one with the smallest ε. */
  readonly grant: Grant | null;
  /**
   * Other grants that accounts brought into a merge and that `grant` does not imply (another δ, protection or
   * period). A spend must fit each. A new grant replaces all of them.
   */
  readonly alsoGranted?: readonly Grant[];
  /** The account that this one was merged into. What was spent and granted stands there. */
  readonly mergedInto?: string;
  /** Accounts that were declared to hold other people, whose ids only look alike. */
  readonly differentFrom?: readonly string[];
  /** Spending was refused after the last grant. */
  readonly refused: boolean;
  readonly runs: number;
  readonly finished: number;
  readonly unprotected: number;
  readonly losses: number;
  readonly spends: readonly SpendGroup[];
}

/** All accounts after an entry. */
export interface LedgerState {
  readonly accounts: ReadonlyMap<string, AccountState>;
  /** Time of the newest entry; '' where there is none. */
  readonly at: string;
}

export const emptyState: LedgerState = { accounts: new Map(), at: '' };

const freshAccount: AccountState = {
  name: null,
  grant: null,
  refused: false,
  runs: 0,
  finished: 0,
  unprotected: 0,
  losses: 0,
  spends: [],
};

type Accounts = ReadonlyMap<string, AccountState>;

/** The account that an id stands for: itself, or the one that it was merged into. */
export function rootOf(accounts: Accounts, account: string): string {
  let root = account;
  for (;;) {
    const into = accounts.get(root)?.mergedInto;
    if (into === undefined) return root;
    root = into;
  }
}

/** The state of the account that an id stands for. */
export function stateOf(accounts: Accounts, account: string): AccountState {
  return accounts.get(rootOf(accounts, account)) ?? freshAccount;
}

/** Every grant that a spend must fit. */
export function grantsOf({ grant, alsoGranted = [] }: AccountState): readonly Grant[] {
  return grant === null ? [] : [grant, ...alsoGranted];
}

/** Whether somebody set a limit: a grant, or a stop. */
export function isLimited({ grant, refused }: AccountState): boolean {
  return grant !== null || refused;
}

/** Nothing was granted, stopped, spent or lost: the account says nothing about anybody's budget. */
export function isIdle(state: AccountState): boolean {
  return !isLimited(state) && state.spends.length === 0 && state.losses === 0;
}

/** Whether two accounts were declared to hold different people, directly or before they were merged. */
export function areDifferent(accounts: Accounts, one: string, other: string): boolean {
  const root = rootOf(accounts, other);
  return (stateOf(accounts, one).differentFrom ?? []).some((each) => rootOf(accounts, each) === root);
}

/** Folds entries into a state, in their order. */
export function stateAfter(before: LedgerState, entries: readonly LedgerEntry[]): LedgerState {
  const accounts = new Map(before.accounts);
  const groups = new Map<string, Map<string, SpendGroup>>();
  const groupsOf = (account: string) => {
    const known = groups.get(account);
    if (known !== undefined) return known;
    const own = new Map((accounts.get(account)?.spends ?? []).map((each) => [groupKey(each), each]));
    groups.set(account, own);
    return own;
  };
  for (const { account: written, event, at } of entries) {
    // A name is that of the id itself; all else is of the account that the id stands for.
    const account = event.kind === 'account' ? written : rootOf(accounts, written);
    const state = accounts.get(account) ?? freshAccount;
    if (event.kind === 'merge') {
      const other = rootOf(accounts, event.other);
      if (other === account) continue;
      const own = groupsOf(account);
      for (const [key, group] of groupsOf(other))
        own.set(key, { ...group, count: group.count + (own.get(key)?.count ?? 0) });
      groups.delete(other);
      const absorbed = accounts.get(other) ?? freshAccount;
      accounts.set(account, mergedState(state, absorbed));
      accounts.set(other, { ...freshAccount, name: absorbed.name, mergedInto: account });
      continue;
    }
    if (event.kind === 'different') {
      const other = rootOf(accounts, event.other);
      accounts.set(account, withDifferent(state, [other]));
      accounts.set(other, withDifferent(accounts.get(other) ?? freshAccount, [account]));
      continue;
    }
    if (event.kind === 'spend' || (event.kind === 'unprotected' && event.charge && event.protection)) {
      const { protection, charge } = event as { protection: Protection; charge: Charge };
      const group: SpendGroup = {
        day: at.slice(0, 10),
        protection,
        charge,
        count: 1,
        ...(event.kind === 'unprotected' && { unprotected: true }),
      };
      const own = groupsOf(account);
      const key = groupKey(group);
      own.set(key, { ...group, count: (own.get(key)?.count ?? 0) + 1 });
    }
    accounts.set(account, stateWith(state, event, at));
  }
  for (const [account, own] of groups)
    accounts.set(account, { ...accounts.get(account)!, spends: [...own.values()] });
  return { accounts, at: entries.at(-1)?.at ?? before.at };
}

/** Two accounts as one, without their groups of spends: all that was spent, and every limit, holds. */
function mergedState(one: AccountState, other: AccountState): AccountState {
  const { grant: _grant, alsoGranted: _also, ...rest } = one;
  const [grant = null, ...alsoGranted] = strictest([...grantsOf(one), ...grantsOf(other)]);
  return withDifferent(
    {
      ...rest,
      grant,
      ...(alsoGranted.length > 0 && { alsoGranted }),
      refused: one.refused || other.refused,
      runs: one.runs + other.runs,
      finished: one.finished + other.finished,
      unprotected: one.unprotected + other.unprotected,
      losses: one.losses + other.losses,
    },
    other.differentFrom ?? [],
  );
}

/**
 * Grants that together allow what all of them allow, the smallest ε first. A grant is left out where another
 * implies it: the same protection, no larger ε and δ (ε at a larger δ is no larger), and no period, or the
 * same one from the same moment.
 */
function strictest(grants: readonly Grant[]): readonly Grant[] {
  const implies = (a: Grant, b: Grant) =>
    sameProtection(a.protection, b.protection) &&
    a.epsilon <= b.epsilon &&
    a.delta <= b.delta &&
    (a.period === null || (a.period === b.period && a.at === b.at));
  return grants
    .filter(
      (each, at) =>
        !grants.some(
          (other, place) => place !== at && implies(other, each) && (place < at || !implies(each, other)),
        ),
    )
    .sort((a, b) => a.epsilon - b.epsilon || a.delta - b.delta);
}

function withDifferent(state: AccountState, others: readonly string[]): AccountState {
  const differentFrom = [...new Set([...(state.differentFrom ?? []), ...others])];
  return differentFrom.length === 0 ? state : { ...state, differentFrom };
}

/** Everything but the groups of spends. */
function stateWith(
  state: AccountState,
  event: Exclude<LedgerEvent, { kind: 'merge' | 'different' }>,
  at: string,
): AccountState {
  switch (event.kind) {
    case 'account':
      return { ...state, name: event.name };
    case 'grant': {
      const { kind: _kind, ...grant } = event;
      const { alsoGranted: _also, ...rest } = state;
      return { ...rest, grant: { ...grant, at }, refused: false };
    }
    case 'refusal':
      return { ...state, refused: true };
    case 'spend':
      return { ...state, runs: state.runs + 1 };
    case 'unprotected':
      return { ...state, unprotected: state.unprotected + 1 };
    case 'completion':
      return { ...state, finished: state.finished + 1 };
    case 'loss':
      return { ...state, losses: state.losses + 1 };
    default:
      return event satisfies never;
  }
}

function groupKey({ day, protection, charge, unprotected }: SpendGroup): string {
  return canonicalJson([day, protection, charge, unprotected ?? false]);
}
