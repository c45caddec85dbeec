import type { AccountState } from './account-state.js';
import { LedgerCorruptError } from './ledger-errors.js';
import type { PeopleElsewhere } from './ledger-requests.js';
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
} from './people-sketch.js';
import type { LedgerStore } from './store.js';

/** Whom accounts stand for, as the ledger remembers it: sketches of keyed hashes, each with its seal. */
export class LedgerPeople {
  readonly #store: LedgerStore;

  constructor(store: LedgerStore) {
    this.#store = store;
  }

  async add(account: string, ids: Iterable<string>): Promise<void> {
    const { key } = this.#store;
    const hashes = peopleHashes(key, ids);
    await this.checked();
    await this.#store.updatePeople(account, (before) => peopleWith(key, account, before, hashes));
  }

  async knows(account: string): Promise<boolean> {
    return (await this.checked()).some((row) => row.account === account);
  }

  /** See `Ledger.sharedWith`; `states` says which accounts have a budget. */
  async sharedWith(
    ids: Iterable<string>,
    into: string | undefined,
    states: ReadonlyMap<string, AccountState>,
  ): Promise<PeopleElsewhere> {
    const people: KnownPeople = { hashes: peopleHashes(this.#store.key, ids), isWhole: true };
    const known = (await this.checked()).map((row) => ({ account: row.account, ...sketchedPeople(row) }));
    const others = known
      .filter(({ account }) => account !== into)
      .map((set) => {
        const state = states.get(set.account);
        const hasGrant = state !== undefined && (state.grant !== null || state.refused);
        return { set, hasGrant, name: state?.name ?? null, ...sharedPeople(people.hashes, set) };
      })
      .filter(({ share }) => share > 0);
    const inAny = (chosen: typeof others) =>
      shareInAny(
        people,
        chosen.map(({ set }) => set),
      );
    return {
      accounts: others
        .map(({ set, ...rest }) => {
          const { hasGrant, share, accountShare } = rest;
          // Where nothing is at stake, or the import alone is noticed, earlier parts are not looked for.
          const isLookedFor = hasGrant && Math.max(share, accountShare) <= sharedLimit;
          const parts = isLookedFor
            ? known.filter((other) => other.account !== set.account && isUnnoticed(set, other))
            : [];
          return { account: set.account, ...rest, shareInParts: shareInAny(set, [people, ...parts]) };
        })
        .sort((a, b) => Math.max(b.share, b.accountShare) - Math.max(a.share, a.accountShare)),
      share: inAny(others),
      shareWithGrant: inAny(others.filter(({ hasGrant }) => hasGrant)),
    };
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

/** Whether two accounts share so few people that neither import had to say anything of the other. */
function isUnnoticed(one: KnownPeople, other: KnownPeople): boolean {
  return [shareInAny(one, [other]), shareInAny(other, [one])].every((share) => share <= sharedLimit);
}
