import type { Csr } from '@hushrec/numerics';
import type { RatingMatrix } from '@hushrec/ratings';
/** The side that parties have in common; the other side is dealt out among them. */
export type SharedSide = 'user' | 'item';

/** One party's part of a data set and which rows of the whole its own users or items are. */
export interface PartyShare {
  readonly ratings: RatingMatrix;
  /** Own user or item k of the party is `members[k]` of the whole. */
  readonly members: Uint32Array;
}

/**
 * Splits a data set among `parties`: by users when items are shared, by items when users are (Ran et al.
 * 2024, §VI-A). Members are dealt out evenly in an order drawn from `random`. O(ratings).
 */
export function shareOut(
  ratings: RatingMatrix,
  shared: SharedSide,
  parties: number,
  random: () => number,
): PartyShare[] {
  const count = shared === 'item' ? ratings.userCount : ratings.itemCount;
  const order = Uint32Array.from({ length: count }, (_, at) => at);
  for (let at = count - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [order[at], order[other]] = [order[other], order[at]];
  }
  return Array.from({ length: parties }, (_, party) => {
    const members = order.filter((_, at) => at % parties === party).sort();
    return {
      members,
      ratings: shared === 'item' ? usersOnly(ratings, members) : itemsOnly(ratings, members),
    };
  });
}

function usersOnly(ratings: RatingMatrix, users: Uint32Array): RatingMatrix {
  const { byUser } = ratings;
  return selected(ratings, users.length, ratings.itemCount, (visit) => {
    users.forEach((user, row) => {
      for (let at = byUser.offsets[user]; at < byUser.offsets[user + 1]; at++)
        visit(row, byUser.indices[at], at);
    });
  });
}

function itemsOnly(ratings: RatingMatrix, items: Uint32Array): RatingMatrix {
  const { byUser } = ratings;
  const place = new Int32Array(ratings.itemCount).fill(-1);
  items.forEach((item, at) => {
    place[item] = at;
  });
  return selected(ratings, ratings.userCount, items.length, (visit) => {
    for (let user = 0; user < byUser.rowCount; user++) {
      for (let at = byUser.offsets[user]; at < byUser.offsets[user + 1]; at++) {
        const to = place[byUser.indices[at]];
        if (to >= 0) visit(user, to, at);
      }
    }
  });
}

function selected(
  { byUser, scale }: RatingMatrix,
  userCount: number,
  itemCount: number,
  each: (visit: (row: number, column: number, from: number) => void) => void,
): RatingMatrix {
  const offsets = new Uint32Array(userCount + 1);
  const indices: number[] = [];
  const values: number[] = [];
  each((row, column, from) => {
    offsets[row + 1]++;
    indices.push(column);
    values.push(byUser.values[from]);
  });
  for (let row = 0; row < userCount; row++) offsets[row + 1] += offsets[row];
  const csr: Csr = {
    rowCount: userCount,
    columnCount: itemCount,
    offsets,
    indices: Uint32Array.from(indices),
    values: Float32Array.from(values),
  };
  return { userCount, itemCount, scale, byUser: csr };
}
