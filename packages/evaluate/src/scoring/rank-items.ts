import { itemMatrix } from '@hushrec/factorize';
import type { BaselineModel, FactorModel, ItemModel, NeighbourModel } from '@hushrec/model';
import { type Csr, type Engine, transpose } from '@hushrec/numerics';
import { itemCountOf, topK } from '@hushrec/recommend';
import { checkPublished, peopleOf } from './people.js';

/**
 * The best `length` items of every person, best first: people × length item indices, −1 where there are
 * fewer.
 */
export interface RankedLists {
  readonly length: number;
  readonly items: Int32Array;
}

/** Ranks all items for everybody; those in a person's history are left out. Ties by smaller item index. */
export async function rankItems(
  engine: Engine,
  model: ItemModel,
  history: Csr,
  length: number,
): Promise<RankedLists> {
  checkPublished(model, history);
  switch (model.kind) {
    case 'factors': {
      const people = await peopleOf(engine, model, history);
      const { indices } = await engine.topK({
        rows: people.factors,
        items: itemMatrix(model),
        ...(model.itemBias && { itemBias: model.itemBias }),
        exclude: history,
        k: length,
      });
      rankNewcomers(model, history, { length, items: indices });
      return { length, items: indices };
    }
    case 'neighbours':
      return rankByNeighbours(model, history, length);
    case 'baseline':
      return rankByBaseline(model, history, length);
    default:
      return model satisfies never;
  }
}

/** People without a history get what is popular, as `Recommender` gives it to them; in place. */
function rankNewcomers(model: FactorModel, { offsets, rowCount }: Csr, { items, length }: RankedLists): void {
  const { popularity, personFeatures } = model;
  if (popularity === undefined || personFeatures !== undefined) return;
  let best: readonly number[] | undefined;
  for (let user = 0; user < rowCount; user++) {
    if (offsets[user] < offsets[user + 1]) continue;
    best ??= Array.from(topK(popularity.length, (item) => popularity[item], length).items);
    items.set(best, user * length);
  }
}

/**
 * Everybody has the same order and skips what they know. O(items log items + people · (length + history)).
 */
function rankByBaseline(model: BaselineModel, history: Csr, length: number): RankedLists {
  const order = topK(model.itemBias.length, (item) => model.itemBias[item], model.itemBias.length).items;
  const items = new Int32Array(history.rowCount * length).fill(-1);
  for (let user = 0; user < history.rowCount; user++) {
    const known = new Set(history.indices.subarray(history.offsets[user], history.offsets[user + 1]));
    let place = 0;
    for (let at = 0; at < order.length && place < length; at++) {
      if (!known.has(order[at])) items[user * length + place++] = order[at];
    }
  }
  return { length, items };
}

/**
 * The scores of `neighbourScorer`, person by person, but reached from the history: each item of the history
 * adds to the items that have it as a neighbour. O(n_i · k + items) per person instead of O(items · k).
 */
function rankByNeighbours(model: NeighbourModel, history: Csr, length: number): RankedLists {
  const count = itemCountOf(model);
  const neighbourOf = reversed(model, count);
  const implicit = model.feedback === 'implicit';
  const base = (item: number) => model.offset + (model.itemBias?.[item] ?? 0);
  const items = new Int32Array(history.rowCount * length).fill(-1);
  const weighted = new Float64Array(count);
  const mass = new Float64Array(count);
  for (let user = 0; user < history.rowCount; user++) {
    const begin = history.offsets[user];
    const end = history.offsets[user + 1];
    let sum = 0;
    for (let k = begin; k < end; k++) sum += history.values[k] - base(history.indices[k]);
    const ownMean = implicit || begin === end ? 0 : sum / (end - begin + model.userShrinkage);
    weighted.fill(0);
    mass.fill(0);
    for (let k = begin; k < end; k++) {
      const own = history.indices[k];
      const deviation = implicit ? 1 : history.values[k] - base(own) - ownMean;
      for (let a = neighbourOf.offsets[own]; a < neighbourOf.offsets[own + 1]; a++) {
        const item = neighbourOf.indices[a];
        weighted[item] += neighbourOf.values[a] * deviation;
        mass[item] += Math.abs(neighbourOf.values[a]);
      }
    }
    const score = (item: number) =>
      implicit ? weighted[item] : base(item) + (mass[item] > 0 ? weighted[item] / mass[item] : 0);
    items.set(topK(count, score, length, new Set(history.indices.subarray(begin, end))).items, user * length);
  }
  return { length, items };
}

/** Row l holds the items j that have l among their neighbours, with s_jl. Lists end where padding begins. */
function reversed(model: NeighbourModel, count: number): Csr {
  const offsets = new Uint32Array(count + 1);
  for (let item = 0; item < count; item++) {
    const padding = model.neighbours.subarray(item * model.k, (item + 1) * model.k).indexOf(-1);
    offsets[item + 1] = offsets[item] + (padding < 0 ? model.k : padding);
  }
  const indices = new Uint32Array(offsets[count]);
  const values = new Float32Array(offsets[count]);
  for (let item = 0; item < count; item++) {
    const begin = item * model.k;
    const end = begin + offsets[item + 1] - offsets[item];
    indices.set(model.neighbours.subarray(begin, end), offsets[item]);
    values.set(model.similarities.subarray(begin, end), offsets[item]);
  }
  return transpose({ rowCount: count, columnCount: count, offsets, indices, values });
}
