import {
  type HistoryEntry,
  type RecommendableModel,
  Recommender,
  type RecommendOptions,
} from '@hushrec/recommend';

/** What all lists have in common. */
export interface ListsAsked {
  readonly model: RecommendableModel;
  readonly k: number;
  readonly includeSeen: boolean;
  readonly only?: readonly string[];
  readonly exclude?: readonly string[];
}

/** Histories of some people, by item index of the model; −1 where it does not know an item. */
export interface PeopleBlock {
  /** Rows of the i-th are [offsets[i], offsets[i + 1]). */
  readonly offsets: Uint32Array;
  readonly items: Int32Array;
  readonly ratings: Float64Array;
}

/** Their lists, one after the other. */
export interface RankedBlock {
  /** How long each is. */
  readonly lengths: Uint32Array;
  readonly items: Uint32Array;
  readonly scores: Float64Array;
  /** How many of them have nothing in their history that the model knows. */
  readonly withoutHistory: number;
}

/**
 * Ranks people block by block with the code that serves one person, so that nobody's list depends on who else
 * is asked for. O(n·d² + d³ + items·d) a person.
 */
export function peopleRanker({
  model,
  k,
  includeSeen,
  only,
  exclude,
}: ListsAsked): (block: PeopleBlock) => RankedBlock {
  const recommender = new Recommender(model);
  const indexOf = new Map(model.itemIds.map((id, index) => [id, index]));
  const options: RecommendOptions = {
    ...{ k, includeSeen, reasons: 0 },
    ...(only && { only: new Set(only) }),
    ...(exclude && { exclude: new Set(exclude) }),
  };
  return ({ offsets, items, ratings }) => {
    const people = offsets.length - 1;
    const lengths = new Uint32Array(people);
    const shown: number[] = [];
    const scores: number[] = [];
    let withoutHistory = 0;
    for (let person = 0; person < people; person++) {
      const history: HistoryEntry[] = [];
      for (let row = offsets[person]; row < offsets[person + 1]; row++)
        if (items[row] >= 0) history.push({ id: model.itemIds[items[row]], rating: ratings[row] });
      if (history.length === 0) withoutHistory++;
      const list = recommender.recommend(history, options).items;
      lengths[person] = list.length;
      for (const { id, score } of list) {
        shown.push(indexOf.get(id)!);
        scores.push(score);
      }
    }
    return {
      lengths,
      items: Uint32Array.from(shown),
      scores: Float64Array.from(scores),
      withoutHistory,
    };
  };
}

let ranker: ReturnType<typeof peopleRanker> | undefined;

/** Gets a thread ready. */
export function openRankerInThread(asked: ListsAsked): void {
  ranker = peopleRanker(asked);
}

export function rankInThread(block: PeopleBlock): RankedBlock {
  return ranker!(block);
}
