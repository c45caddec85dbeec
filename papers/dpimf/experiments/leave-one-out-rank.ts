import { type NamedRatings, type RatingMatrix, SeededRandom, splitLeaveOneOut } from '@hushrec/ratings';

/** HR@10 and NDCG@10 under both readings of the paper's protocol. */
export interface RankingQuality {
  /** Held-out item among 99 items drawn without interaction. */
  readonly sampled: { readonly hitRate: number; readonly ndcg: number };
  /** Held-out item among all items without interaction. */
  readonly full: { readonly hitRate: number; readonly ndcg: number };
}

/** Each user's latest interaction held out, with 99 other candidates fixed by the seed. */
export interface LeaveOneOutTask extends Omit<NamedRatings, 'ratings'> {
  readonly train: RatingMatrix;
  /**
   * What tells this task from others on the same data: the seed of its candidates and how many interactions
   * are left.
   */
  readonly heldOut: { readonly seed: number; readonly interactionsLeft: number };
  /** Held-out item by user; −1 where there is none. */
  readonly target: Int32Array;
  /** users × 99. */
  readonly candidates: Uint32Array;
}

const drawn = 99;

export function leaveOneOutTask(data: NamedRatings, seed: number): LeaveOneOutTask {
  const { ratings, userIds, itemIds } = data;
  const { train, test } = splitLeaveOneOut(data, { seed });
  const random = new SeededRandom(seed);
  const target = new Int32Array(ratings.userCount).fill(-1);
  const candidates = new Uint32Array(ratings.userCount * drawn);
  for (let user = 0; user < ratings.userCount; user++) {
    const begin = test.byUser.offsets[user];
    if (test.byUser.offsets[user + 1] > begin) target[user] = test.byUser.indices[begin];
    const taken = new Set(
      train.byUser.indices.subarray(train.byUser.offsets[user], train.byUser.offsets[user + 1]),
    );
    taken.add(target[user]);
    if (ratings.itemCount - taken.size < drawn)
      throw new RangeError(
        `A user is left with fewer than ${drawn} items without interaction. Use a larger catalogue.`,
      );
    for (let k = 0; k < drawn; k++) {
      let item: number;
      do item = Math.floor(random.uniform() * ratings.itemCount);
      while (taken.has(item));
      taken.add(item);
      candidates[user * drawn + k] = item;
    }
  }
  const heldOut = { seed, interactionsLeft: train.byUser.indices.length };
  return { train, userIds, itemIds, heldOut, target, candidates };
}

type ScoreOf = (user: number) => (item: number) => number;

/**
 * Ranks by any score; ties count against the held-out item, so that a model that says nothing gets nothing.
 * O(users · items) scores.
 */
export function rankingQuality(task: LeaveOneOutTask, scoreOf: ScoreOf): RankingQuality {
  const { train, candidates } = task;
  const sampled = new TopTen();
  const full = new TopTen();
  forHeldOut(task, scoreOf, (user, held, score) => {
    const own = score(held);
    sampled.add(rankAmong(candidates.subarray(user * drawn, (user + 1) * drawn), score, own));
    let rank = 0;
    const seen = train.byUser.indices.subarray(train.byUser.offsets[user], train.byUser.offsets[user + 1]);
    for (let item = 0, at = 0; item < train.itemCount; item++) {
      if (seen[at] === item) at++;
      else if (item !== held && !(score(item) < own)) rank++;
    }
    full.add(rank);
  });
  return { sampled: sampled.quality, full: full.quality };
}

/** The same among the drawn candidates only: a hundred scores a person, for models whose scores are slow. */
export function sampledQuality(task: LeaveOneOutTask, scoreOf: ScoreOf): RankingQuality['sampled'] {
  const sampled = new TopTen();
  forHeldOut(task, scoreOf, (user, held, score) => {
    const others = task.candidates.subarray(user * drawn, (user + 1) * drawn);
    sampled.add(rankAmong(others, score, score(held)));
  });
  return sampled.quality;
}

function forHeldOut(
  { train, target }: LeaveOneOutTask,
  scoreOf: ScoreOf,
  visit: (user: number, held: number, score: (item: number) => number) => void,
): void {
  for (let user = 0; user < train.userCount; user++)
    if (target[user] >= 0) visit(user, target[user], scoreOf(user));
}

function rankAmong(others: Uint32Array, score: (item: number) => number, own: number): number {
  let rank = 0;
  for (let k = 0; k < others.length; k++) if (!(score(others[k]) < own)) rank++;
  return rank;
}

/** Hits and discounted gain of ranks, counted from 0, within the first ten. */
class TopTen {
  private people = 0;
  private hits = 0;
  private gain = 0;

  add(rank: number): void {
    this.people++;
    if (rank >= 10) return;
    this.hits++;
    this.gain += 1 / Math.log2(rank + 2);
  }

  get quality(): { readonly hitRate: number; readonly ndcg: number } {
    return { hitRate: this.hits / this.people, ndcg: this.gain / this.people };
  }
}

/** Mean of each measure over runs. */
export function meanQuality(runs: readonly RankingQuality[]): RankingQuality {
  const over = (protocol: 'sampled' | 'full') => ({
    hitRate: runs.reduce((sum, run) => sum + run[protocol].hitRate, 0) / runs.length,
    ndcg: runs.reduce((sum, run) => sum + run[protocol].ndcg, 0) / runs.length,
  });
  return { sampled: over('sampled'), full: over('full') };
}

/** Scores u·v of dense profiles. */
export function profileScores(users: Float64Array, items: Float64Array, width: number) {
  return (user: number) => (item: number) => {
    let score = 0;
    for (let c = 0; c < width; c++) score += users[user * width + c] * items[item * width + c];
    return score;
  };
}
