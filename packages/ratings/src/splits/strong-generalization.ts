import type { RatingMatrix } from '../rating-matrix.js';
import { SeededRandom } from '../seeded-random.js';
import { selectRatings } from '../select-ratings.js';
import { selectUsers } from '../select-users.js';
import type { SplitRecord } from './split-record.js';

/** Seed, number of held-out users and how their ratings are divided. */
export interface StrongGeneralizationOptions {
  readonly seed: number;
  /** Held-out users for each of validation and test: a number, or a share below 1 (0.1 unless given). */
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
 * Held-out users as in the ML-20M experiments (Liang et al. 2018; Chien et al. 2021; Krichene et al. 2023):
 * items that no training user has are dropped from held-out users; of each, ⌊0.2 n⌋ ratings are the target
 * and the rest is the history the model sees; users with fewer than `minRatings` after dropping have a
 * history only. O(ratings).
 */
export function splitStrongGeneralization(
  matrix: RatingMatrix,
  options: StrongGeneralizationOptions,
): StrongGeneralization {
  const { seed, heldOutUsers = 0.1, targetShare = 0.2, minRatings = 5 } = options;
  const { byUser, userCount, itemCount } = matrix;
  if (!(targetShare > 0 && targetShare < 1))
    throw new RangeError(`targetShare is ${targetShare}; expected 0 < share < 1.`);
  const active = Uint32Array.from({ length: userCount }, (_, user) => user).filter(
    (user) => byUser.offsets[user + 1] - byUser.offsets[user] >= minRatings,
  );
  const heldOut = heldOutUsers < 1 ? Math.round(heldOutUsers * active.length) : heldOutUsers;
  if (!Number.isInteger(heldOut) || heldOut < 1 || 2 * heldOut >= active.length)
    throw new RangeError(
      `heldOutUsers is ${heldOutUsers}; two groups of that size must leave users to train on, of those with ${minRatings} ratings or more.`,
    );
  const random = new SeededRandom(seed);
  random.shuffle(active);
  const validationUsers = active.slice(0, heldOut).sort();
  const testUsers = active.slice(heldOut, 2 * heldOut).sort();
  const trainUsers = active.slice(2 * heldOut).sort();
  const train = selectUsers(matrix, trainUsers);
  const seen = new Uint8Array(itemCount);
  for (const item of train.byUser.indices) seen[item] = 1;
  const part = (users: Uint32Array): HeldOutUsers => {
    const own = selectUsers(matrix, users);
    const known = selectRatings(
      own,
      Uint8Array.from(own.byUser.indices, (item) => seen[item]),
      1,
    );
    const isTarget = drawTargets(known, targetShare, minRatings, random);
    return { users, history: selectRatings(known, isTarget, 0), target: selectRatings(known, isTarget, 1) };
  };
  return {
    record: { protocol: 'strong-generalization', seed, heldOutUsers: heldOut, targetShare, minRatings },
    train,
    trainUsers,
    validation: part(validationUsers),
    test: part(testUsers),
  };
}

/** Marks ⌊share · n⌋ random ratings of every user with at least `minRatings`. */
function drawTargets(
  matrix: RatingMatrix,
  share: number,
  minRatings: number,
  random: SeededRandom,
): Uint8Array {
  const { offsets } = matrix.byUser;
  const marks = new Uint8Array(matrix.byUser.values.length);
  for (let user = 0; user < matrix.userCount; user++) {
    const own = marks.subarray(offsets[user], offsets[user + 1]);
    if (own.length < minRatings) continue;
    own.fill(1, 0, Math.floor(share * own.length));
    random.shuffle(own);
  }
  return marks;
}
