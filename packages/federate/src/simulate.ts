import type { RatingMatrix } from '@hushrec/ratings';
import { coordinate, type SessionOffer, type SessionResult } from './coordinator.js';
import { Party } from './party.js';
import { shareOut } from './share-out.js';
import { connectInProcess } from './transport.js';

export interface SimulatedSession extends SessionResult {
  /** Profiles of all users, rows × dimensions: shared ones, or put together from the parties' own. */
  readonly users: Float64Array;
  readonly items: Float64Array;
}

/**
 * All roles in one process, on a data set dealt out among `parties`: for experiments, and to see the protocol at work. The own-side profiles
 * are gathered from the parties here, which no coordinator could do. Seeded, hence a simulation.
 */
export async function simulateParties(
  ratings: RatingMatrix,
  parties: number,
  offer: Omit<SessionOffer, 'rows' | 'session'>,
  seed: number,
  random: () => number,
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
  );
  const width = result.profiles.length / rows;
  const own = new Float64Array((offer.shared === 'item' ? ratings.userCount : ratings.itemCount) * width);
  shares.forEach((share, at) => {
    const profiles = members[at]!.ownProfiles;
    if (profiles === undefined) return;
    share.members.forEach((row, place) => {
      own.set(profiles.subarray(place * width, (place + 1) * width), row * width);
    });
  });
  return offer.shared === 'item'
    ? { ...result, users: own, items: result.profiles }
    : { ...result, users: result.profiles, items: own };
}
