import { itemMatrix } from '@hushrec/factorize';
import type { ItemModel } from '@hushrec/model';
import type { Csr, Engine } from '@hushrec/numerics';
import { itemCountOf, scorerFor, topK } from '@hushrec/recommend';
import { checkPublished, historyOf, peopleOf } from './people.js';

/** The best `length` items of every person, best first: people × length item indices, −1 where there are fewer. */
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
  if (model.kind === 'factors') {
    const people = await peopleOf(engine, model, history);
    const { indices } = await engine.topK({
      rows: people.factors,
      items: itemMatrix(model),
      ...(model.itemBias && { itemBias: model.itemBias }),
      exclude: history,
      k: length,
    });
    return { length, items: indices };
  }
  const items = new Int32Array(history.rowCount * length).fill(-1);
  const count = itemCountOf(model);
  for (let user = 0; user < history.rowCount; user++) {
    const own = historyOf(history, user);
    items.set(topK(count, scorerFor(model, own).score, length, new Set(own.items)).items, user * length);
  }
  return { length, items };
}
