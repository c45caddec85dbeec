import type { Csr } from '@hushrec/numerics';
import type { LineCoins } from '@hushrec/privacy';
import { type Contributions, requireDistinctItems } from '@hushrec/statistics';

/**
 * At most `limit` ratings a person, all with weight 1, so Σ_j w_ij² ≤ limit (Chien et al. 2021, §3.2).
 *
 * `uniform`: drawn with the person's own coins, so that no one else's absence changes the choice. `tail`:
 * those whose released count is smallest (ties by item number), which spends the budget on rare items. Both
 * look at the person's own set and at released numbers only, so the choice costs nothing; with exact counts
 * it would be a release of its own.
 */
export type ContributionChoice =
  | { readonly kind: 'uniform'; readonly coins: LineCoins }
  | { readonly kind: 'tail'; readonly releasedCounts: ArrayLike<number> };

/**
 * Keeps at most `limit` ratings per person, and of those only items allowed by `itemAllowed` (a released
 * choice such as `frequentItems`). The filter comes first: the bound holds for what is really used.
 * O(ratings) for `uniform`, O(ratings · log) for `tail`.
 */
export function boundContributions(
  byUser: Csr,
  limit: number,
  choice: ContributionChoice,
  itemAllowed?: Uint8Array,
): Contributions {
  if (!(Number.isInteger(limit) && limit > 0)) {
    throw new RangeError(
      `The number of ratings a person may contribute is ${limit}; expected a whole number > 0.`,
    );
  }
  requireDistinctItems(byUser);
  const kept = new Uint32Array(byUser.indices.length);
  const offsets = new Uint32Array(byUser.rowCount + 1);
  let count = 0;
  const own = new Uint32Array(byUser.columnCount);
  for (let user = 0; user < byUser.rowCount; user++) {
    let size = 0;
    for (let at = byUser.offsets[user]; at < byUser.offsets[user + 1]; at++) {
      if (itemAllowed === undefined || itemAllowed[byUser.indices[at]] === 1) own[size++] = at;
    }
    if (size > limit) {
      if (choice.kind === 'uniform') chooseUniformly(own, size, limit, choice.coins.stream(user));
      else chooseRarest(own, size, limit, byUser.indices, choice.releasedCounts);
      size = limit;
      own.subarray(0, size).sort();
    }
    kept.set(own.subarray(0, size), count);
    count += size;
    offsets[user + 1] = count;
  }
  return { byUser: entriesAt(byUser, offsets, kept.subarray(0, count)), budget: limit };
}

/**
 * Moves a uniform random subset of `limit` of the first `size` entries to the front (partial Fisher–Yates).
 */
function chooseUniformly(own: Uint32Array, size: number, limit: number, random: () => number): void {
  for (let place = 0; place < limit; place++) {
    const other = place + Math.floor(random() * (size - place));
    const entry = own[other];
    own[other] = own[place];
    own[place] = entry;
  }
}

function chooseRarest(
  own: Uint32Array,
  size: number,
  limit: number,
  items: Uint32Array,
  counts: ArrayLike<number>,
): void {
  const rarest = Array.from(own.subarray(0, size)).sort(
    (a, b) => counts[items[a]] - counts[items[b]] || items[a] - items[b],
  );
  for (let place = 0; place < limit; place++) own[place] = rarest[place];
}

function entriesAt(byUser: Csr, offsets: Uint32Array, positions: Uint32Array): Csr {
  return {
    rowCount: byUser.rowCount,
    columnCount: byUser.columnCount,
    offsets,
    indices: positions.map((at) => byUser.indices[at]),
    values: Float32Array.from(positions, (at) => byUser.values[at]),
  };
}

/** ⌈share × n⌉ of each person's n ratings, drawn with own coins. */
export function sampleOfEach(byUser: Csr, share: number, coins: LineCoins): Csr {
  const kept = new Uint32Array(byUser.indices.length);
  const offsets = new Uint32Array(byUser.rowCount + 1);
  let count = 0;
  for (let user = 0; user < byUser.rowCount; user++) {
    const begin = byUser.offsets[user];
    const size = byUser.offsets[user + 1] - begin;
    const limit = Math.ceil(share * size);
    const own = Uint32Array.from({ length: size }, (_, place) => begin + place);
    chooseUniformly(own, size, limit, coins.stream(user));
    kept.set(own.subarray(0, limit).sort(), count);
    count += limit;
    offsets[user + 1] = count;
  }
  return entriesAt(byUser, offsets, kept.subarray(0, count));
}

/** Only the ratings of allowed items, as many as a person has. */
export function keepItems(byUser: Csr, itemAllowed: Uint8Array): Csr {
  const kept = new Uint32Array(byUser.indices.length);
  const offsets = new Uint32Array(byUser.rowCount + 1);
  let count = 0;
  for (let user = 0; user < byUser.rowCount; user++) {
    for (let at = byUser.offsets[user]; at < byUser.offsets[user + 1]; at++) {
      if (itemAllowed[byUser.indices[at]] === 1) kept[count++] = at;
    }
    offsets[user + 1] = count;
  }
  return entriesAt(byUser, offsets, kept.subarray(0, count));
}
