import type { RatingMatrix } from '@hushrec/ratings';
import type { Office } from '../card.js';
import { type Catalogue, CatalogueMismatchError, inCatalogue } from '../catalogue.js';
import type { SessionOffer } from './coordinator.js';
import type { CoordinatorMessage } from './messages.js';

/**
 * A session of parties that noise their own sums, written down before any data is touched: what is shared,
 * what each interaction may cost, who asks and who answers. Everyone has the same file; whoever asks for
 * something else is refused.
 */
export interface PartySession {
  readonly format: 'hushrec-session-1';
  /** 16 random bytes, hexadecimal: another session is another file. */
  readonly session: string;
  readonly shared: 'items' | 'users';
  /** Ids of the shared items or users, in the order of their profiles. Public. */
  readonly ids: readonly string[];
  /** Of shared items, where they are known. */
  readonly titles?: readonly string[];
  readonly rounds: number;
  readonly epsilon: number;
  readonly settings: Readonly<Record<string, number | string | boolean>>;
  /** Seed of the first profiles: public. */
  readonly publicSeed: number;
  /** Fewer parties than this end the session. */
  readonly leastParties: number;
  readonly coordinator: Office;
  readonly parties: readonly Office[];
}

/** What the coordinator of a session offers to its parties. */
export function offerOf(session: PartySession): SessionOffer {
  const { shared, ids, rounds, epsilon, settings, leastParties } = session;
  return {
    session: session.session,
    shared: shared === 'items' ? 'item' : 'user',
    rows: ids.length,
    rounds,
    epsilon,
    settings,
    contribution: 'sums',
    leastParties,
  };
}

/** Whether an invitation asks for what the session says, and for nothing else. */
export function isOffered(
  session: PartySession,
  message: Extract<CoordinatorMessage, { kind: 'invitation' }>,
): boolean {
  const { leastParties: _, ...offered } = offerOf(session);
  const asked = { ...offered, kind: 'invitation', localRounds: 1 };
  const names = [...new Set([...Object.keys(asked), ...Object.keys(message)])];
  const plain = (of: object, name: string) => JSON.stringify((of as Record<string, unknown>)[name]);
  return names.every((name) =>
    name === 'settings'
      ? sorted(message.settings) === sorted(session.settings)
      : plain(asked, name) === plain(message, name),
  );
}

const sorted = (settings: object) =>
  JSON.stringify(Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1)));

/**
 * A party's ratings about what the session shares, in its order. @throws CatalogueMismatchError for items or
 * users that it lacks
 */
export function inSession(
  ratings: RatingMatrix,
  names: { readonly itemIds: readonly string[]; readonly userIds: readonly string[] },
  { shared, ids }: PartySession,
): RatingMatrix {
  if (shared === 'items') {
    const catalogue: Catalogue = { format: 'hushrec-catalogue-1', scale: ratings.scale, itemIds: ids };
    return inCatalogue(ratings, names.itemIds, catalogue).ratings;
  }
  const rows = new Map(names.userIds.map((id, row) => [id, row]));
  const places = new Set(ids);
  const unknown = names.userIds.filter((id) => !places.has(id)).length;
  if (unknown > 0)
    throw new CatalogueMismatchError(
      `${unknown} users of these ratings are not among the ${ids.length} that the session shares. Leave them out of the data, or agree on another list.`,
    );
  const { byUser } = ratings;
  const offsets = new Uint32Array(ids.length + 1);
  const indices = new Uint32Array(byUser.indices.length);
  const values = new Float32Array(byUser.values.length);
  let at = 0;
  ids.forEach((id, place) => {
    const row = rows.get(id);
    if (row !== undefined) {
      const [begin, end] = [byUser.offsets[row], byUser.offsets[row + 1]];
      indices.set(byUser.indices.subarray(begin, end), at);
      values.set(byUser.values.subarray(begin, end), at);
      at += end - begin;
    }
    offsets[place + 1] = at;
  });
  return {
    userCount: ids.length,
    itemCount: ratings.itemCount,
    scale: ratings.scale,
    byUser: { rowCount: ids.length, columnCount: ratings.itemCount, offsets, indices, values },
  };
}
