import { shareOut } from '@hushrec/federate';
import type { PrivacyRecord } from '@hushrec/privacy';
import type { RatingMatrix } from '@hushrec/ratings';
import { coordinate, type SessionOffer, type SessionResult } from './coordinator.js';
import { Party } from './party.js';
import { connectInProcess } from './transport.js';

export interface SimulatedSession extends SessionResult {
  /** Profiles of all users, rows × rank: shared ones, or put together from the parties' own. */
  readonly users: Float64Array;
  readonly items: Float64Array;
  /** The own side as the parties may publish it; absent where a party released nothing of its own side. */
  readonly publishedOwn?: Float64Array;
  /** What each party that stayed to the end released, by party. */
  readonly records: ReadonlyMap<string, PrivacyRecord>;
}

/**
 * All roles in one process, on a data set dealt out among `parties`: for experiments, and to see the protocol
 * at work. The own-side profiles are gathered from the parties here, which no coordinator could do. Seeded,
 * hence a simulation.
 */
export async function simulateParties(
  ratings: RatingMatrix,
  parties: number,
  offer: Omit<SessionOffer, 'rows' | 'session'>,
  seed: number,
  random: () => number,
  progress?: (round: number, rounds: number) => void,
): Promise<SimulatedSession> {
  const shares = shareOut(ratings, offer.shared, parties, random);
  const members = shares.map(
    (share, at) =>
      new Party(`party-${at + 1}`, share.ratings, { mostEpsilon: Number.POSITIVE_INFINITY }, { seed }),
  );
  const rows = offer.shared === 'item' ? ratings.itemCount : ratings.userCount;
  const result = await coordinate(
    { ...offer, rows, session: `simulation-${seed}` },
    members.map(connectInProcess),
    random,
    progress,
  );
  const width = result.profiles.length / rows;
  const ownRows = offer.shared === 'item' ? ratings.userCount : ratings.itemCount;
  const gathered = (profilesOf: (party: Party) => Float64Array | undefined) => {
    const all = new Float64Array(ownRows * width);
    shares.forEach((share, at) => {
      const profiles = profilesOf(members[at]);
      if (profiles === undefined) return;
      share.members.forEach((row, place) => {
        all.set(profiles.subarray(place * width, (place + 1) * width), row * width);
      });
    });
    return all;
  };
  const own = gathered((party) => party.ownProfiles);
  const sides =
    offer.shared === 'item' ? { users: own, items: result.profiles } : { users: result.profiles, items: own };
  return {
    ...result,
    ...sides,
    ...(members.every((party) => party.releasedOwnProfiles !== undefined) && {
      publishedOwn: gathered((party) => party.releasedOwnProfiles),
    }),
    records: new Map(
      members.flatMap(({ party, record }) => (record === undefined ? [] : [[party, record] as const])),
    ),
  };
}
