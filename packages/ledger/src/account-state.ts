import { canonicalJson } from '@hushrec/model';
import type { Charge } from './charge.js';
import type { LedgerEntry, LedgerEvent, Protection } from './entry.js';

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
  readonly grant: Grant | null;
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

export const freshAccount: AccountState = {
  name: null,
  grant: null,
  refused: false,
  runs: 0,
  finished: 0,
  unprotected: 0,
  losses: 0,
  spends: [],
};

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
  for (const { account, event, at } of entries) {
    const state = accounts.get(account) ?? freshAccount;
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

/** Everything but the groups of spends. */
function stateWith(state: AccountState, event: LedgerEvent, at: string): AccountState {
  switch (event.kind) {
    case 'account':
      return { ...state, name: event.name };
    case 'grant': {
      const { kind: _kind, ...grant } = event;
      return { ...state, grant: { ...grant, at }, refused: false };
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
