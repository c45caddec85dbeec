import { type AccountState, areDifferent, isIdle, isLimited, rootOf, stateOf } from './account-state.js';
import { LedgerCorruptError } from './ledger-errors.js';
import type { PeopleElsewhere, SharedPeople } from './ledger-requests.js';
import {
  isSealedPeople,
  type KnownPeople,
  type PeopleRow,
  peopleHashes,
  peopleWith,
  sharedLimit,
  sharedPeople,
  shareInAny,
  sketchedPeople,
  unitedPeople,
} from './people-sketch.js';
import type { LedgerStore } from './store.js';

type Accounts = ReadonlyMap<string, AccountState>;

/** Whom accounts stand for, as the ledger remembers it: sketches of keyed hashes, each with its seal. */
export class LedgerPeople {
  readonly #store: LedgerStore;

  constructor(store: LedgerStore) {
    this.#store = store;
  }

  /** Writes nothing where everyone is known already. */
  async add(account: string, ids: Iterable<string>): Promise<void> {
    const { key } = this.#store;
    const hashes = peopleHashes(key, ids);
    const before = (await this.checked()).find((row) => row.account === account);
    if (hashes.length === 0) return;
    if (before !== undefined && peopleWith(key, account, before, hashes).seal === before.seal) return;
    await this.#store.updatePeople(account, (now) => peopleWith(key, account, now, hashes));
  }

  /** Whether any sketch is kept for an account, or for one that was merged into it. */
  async knows(account: string, accounts: Accounts): Promise<boolean> {
    const root = rootOf(accounts, account);
    return (await this.checked()).some((row) => rootOf(accounts, row.account) === root);
  }

  /** See `Ledger.sharedWith`. */
  async sharedWith(
    ids: Iterable<string>,
    into: string | undefined,
    accounts: Accounts,
  ): Promise<PeopleElsewhere> {
    const people: KnownPeople = { hashes: peopleHashes(this.#store.key, ids), isWhole: true };
    const isTargetLimited = into !== undefined && isLimited(stateOf(accounts, into));
    return peopleElsewhere(
      people,
      knownPeople(await this.checked(), accounts),
      into,
      isTargetLimited,
      accounts,
    );
  }

  /** All of them. @throws LedgerCorruptError where one is not what was written */
  async checked(): Promise<readonly PeopleRow[]> {
    const { key, location } = this.#store;
    const rows = await this.#store.people();
    for (const row of rows)
      if (!isSealedPeople(key, row))
        throw new LedgerCorruptError(
          location,
          `the people of account ${row.account}`,
          'they are not what was written',
        );
    return rows;
  }
}

/**
 * Accounts that stand for about the same people as this one, by their sketches, and matter for its budget;
 * see `PeopleElsewhere.atStake`. O(K·4096) for K accounts; O(K²·4096) where small parts of accounts with a
 * limit must be looked for in all others.
 */
export function accountsAtStake(
  rows: readonly PeopleRow[],
  account: string,
  isAccountLimited: boolean,
  accounts: Accounts,
): readonly SharedPeople[] {
  const known = knownPeople(rows, accounts);
  const people = known.find((each) => each.account === rootOf(accounts, account));
  return people === undefined
    ? []
    : peopleElsewhere(people, known, account, isAccountLimited, accounts).atStake;
}

/** One set of people for each account; those of merged accounts are united. */
function knownPeople(rows: readonly PeopleRow[], accounts: Accounts): readonly AccountPeople[] {
  const sets = new Map<string, KnownPeople[]>();
  for (const row of rows) {
    const root = rootOf(accounts, row.account);
    sets.set(root, [...(sets.get(root) ?? []), sketchedPeople(row)]);
  }
  return [...sets].map(([account, parts]) => ({ account, ...unitedPeople(parts) }));
}

type AccountPeople = KnownPeople & { readonly account: string };

/** Whose people are among these too, besides `into` and accounts that were declared different from it. */
function peopleElsewhere(
  people: KnownPeople,
  known: readonly AccountPeople[],
  into: string | undefined,
  isTargetLimited: boolean,
  accounts: Accounts,
): PeopleElsewhere {
  const root = into === undefined ? undefined : rootOf(accounts, into);
  const others = known
    .filter(
      ({ account }) => account !== root && (root === undefined || !areDifferent(accounts, root, account)),
    )
    .map((set) => ({ set, ...sharedPeople(people, set) }))
    .filter(({ share, accountShare }) => Math.max(share, accountShare) > 0)
    .map(({ set, share, accountShare }) => {
      const state = stateOf(accounts, set.account);
      const hasGrant = isLimited(state);
      // Where nothing is at stake, or the import alone is noticed, earlier parts are not looked for.
      const isLookedFor = hasGrant && Math.max(share, accountShare) <= sharedLimit;
      const parts = isLookedFor
        ? known.filter((other) => other.account !== set.account && isUnnoticed(set, other))
        : [];
      const found: SharedPeople = {
        account: set.account,
        name: state.name,
        share,
        accountShare,
        shareInParts: shareInAny(set, [people, ...parts]),
        hasGrant,
        isIdle: isIdle(state),
      };
      return { set, found };
    })
    .sort((a, b) => alikeness(b.found) - alikeness(a.found));
  const counting = others.filter(({ found }) => found.hasGrant || (isTargetLimited && !found.isIdle));
  const inAny = (chosen: typeof others) =>
    shareInAny(
      people,
      chosen.map(({ set }) => set),
    );
  const shareAtStake = inAny(counting);
  return {
    accounts: others.map(({ found }) => found),
    share: inAny(others),
    ...noticed(
      counting.map(({ found }) => found),
      shareAtStake,
    ),
    shareAtStake,
  };
}

/** Accounts that are noticed each by itself; where none is, all of them if they are enough together. */
function noticed(
  counting: readonly SharedPeople[],
  together: number,
): Pick<PeopleElsewhere, 'atStake' | 'isSpread'> {
  const alone = counting.filter(
    (each) => Math.max(each.share, each.accountShare, each.shareInParts) > sharedLimit,
  );
  const isSpread = alone.length === 0 && together > sharedLimit;
  // The account with a limit comes first: that is where the others belong.
  const atStake = (isSpread ? [...counting] : alone).sort((a, b) => Number(b.hasGrant) - Number(a.hasGrant));
  return { atStake, isSpread };
}

function alikeness({ share, accountShare }: SharedPeople): number {
  return Math.max(share, accountShare);
}

/** Whether two accounts share so few people that neither import had to say anything of the other. */
function isUnnoticed(one: KnownPeople, other: KnownPeople): boolean {
  return [shareInAny(one, [other]), shareInAny(other, [one])].every((share) => share <= sharedLimit);
}
