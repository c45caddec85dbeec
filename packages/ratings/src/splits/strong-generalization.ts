import type { RatingMatrix } from '../rating-matrix.js';
import { selectRatings } from '../select-ratings.js';
import { selectUsers } from '../select-users.js';
import type { SplitRecord } from './split-record.js';
import { type NamedRatings, SplitValues } from './split-values.js';

/** Seed, share of held-out users and how their ratings are divided. */
export interface StrongGeneralizationOptions {
  readonly seed: number;
  /** Share of the users for each of validation and test, below 1/2; 0.1 unless given. */
  readonly heldOutUsers?: number;
  /** Share of a held-out user's ratings to predict, rounded down; 0.2 unless given. */
  readonly targetShare?: number;
  /** Users with fewer ratings are left out altogether; 5 unless given. */
  readonly minRatings?: number;
}

/**
 * People whose ratings were not trained on: row k of both matrices is user `users[k]` of the whole data set.
 */
export interface HeldOutUsers {
  readonly users: Uint32Array;
  readonly history: RatingMatrix;
  readonly target: RatingMatrix;
}

/** Users to train on, to validate on and to test on; nobody is in two groups. */
export interface StrongGeneralization {
  readonly record: SplitRecord;
  /** Row k is user `trainUsers[k]` of the whole data set. */
  readonly train: RatingMatrix;
  readonly trainUsers: Uint32Array;
  readonly validation: HeldOutUsers;
  readonly test: HeldOutUsers;
}

/**
 * Held-out users as in the ML-20M experiments (Liang et al. 2018; Chien et al. 2021; Krichene et al. 2023).
 * The group of a user follows from seed and id alone, and which ⌊0.2 n⌋ of the n ratings of a held-out user
 * are the target (those with the smallest draws) from hers alone (`SplitValues`); the rest is the history the
 * model sees. Groups have their sizes on average. Then items that no training user has are dropped from
 * held-out users, and those who are left with fewer than `minRatings` are not asked. O(ratings log ratings).
 */
export function splitStrongGeneralization(
  data: NamedRatings,
  options: StrongGeneralizationOptions,
): StrongGeneralization {
  const { seed, heldOutUsers = 0.1, targetShare = 0.2, minRatings = 5 } = options;
  const { ratings } = data;
  if (!(targetShare > 0 && targetShare < 1))
    throw new RangeError(`targetShare is ${targetShare}; expected 0 < share < 1.`);
  if (!(heldOutUsers > 0 && heldOutUsers < 0.5))
    throw new RangeError(
      `heldOutUsers is ${heldOutUsers}; expected a share > 0 and < 1/2, which leaves users to train on.`,
    );
  const draws = new SplitValues(data, 'strong-generalization', seed);
  const { offsets } = ratings.byUser;
  const active = Uint32Array.from({ length: ratings.userCount }, (_, user) => user).filter(
    (user) => offsets[user + 1] - offsets[user] >= minRatings,
  );
  const drawnWithin = (from: number, to: number) =>
    active.filter((user) => draws.ofPerson(user) >= from && draws.ofPerson(user) < to);
  const trainUsers = drawnWithin(2 * heldOutUsers, 1);
  const train = selectUsers(ratings, trainUsers);
  const isKnown = new Uint8Array(ratings.itemCount);
  for (const item of train.byUser.indices) isKnown[item] = 1;
  const part = (users: Uint32Array): HeldOutUsers => {
    const own = selectUsers(ratings, users);
    const labels = markTargets(own, targetShare, (row, item) => draws.ofRating(users[row], item));
    dropUnknown(labels, own, isKnown, minRatings);
    return { users, history: selectRatings(own, labels, 0), target: selectRatings(own, labels, 1) };
  };
  return {
    record: { protocol: 'strong-generalization', seed, heldOutUsers, targetShare, minRatings },
    train,
    trainUsers,
    validation: part(drawnWithin(0, heldOutUsers)),
    test: part(drawnWithin(heldOutUsers, 2 * heldOutUsers)),
  };
}

const dropped = 2;

/** Leaves out what training does not know, and targets of rows with fewer than `least` known items. */
function dropUnknown(labels: Uint8Array, { byUser }: RatingMatrix, isKnown: Uint8Array, least: number): void {
  for (let row = 0; row < byUser.rowCount; row++) {
    const [start, end] = [byUser.offsets[row], byUser.offsets[row + 1]];
    let known = 0;
    for (let k = start; k < end; k++) known += isKnown[byUser.indices[k]];
    for (let k = start; k < end; k++)
      if (isKnown[byUser.indices[k]] === 0 || (labels[k] === 1 && known < least)) labels[k] = dropped;
  }
}

/** 1 for the ⌊share · n⌋ ratings of each row with the smallest draws, 0 for the others. */
function markTargets(
  { byUser }: RatingMatrix,
  share: number,
  drawOf: (row: number, item: number) => number,
): Uint8Array {
  const labels = new Uint8Array(byUser.values.length);
  for (let row = 0; row < byUser.rowCount; row++) {
    const start = byUser.offsets[row];
    const own = byUser.indices.subarray(start, byUser.offsets[row + 1]);
    const draws = Float64Array.from(own, (item) => drawOf(row, item));
    // Whoever draws less than this is a target: draws differ but for 2⁻⁵³.
    const bound = draws.toSorted()[Math.floor(share * own.length)];
    draws.forEach((draw, k) => {
      if (draw < bound) labels[start + k] = 1;
    });
  }
  return labels;
}
