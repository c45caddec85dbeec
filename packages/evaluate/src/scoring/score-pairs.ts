import { itemMatrix } from '@hushrec/factorize';
import type { ItemModel } from '@hushrec/model';
import type { Csr, Engine } from '@hushrec/numerics';
import { scorerFor } from '@hushrec/recommend';
import { checkPublished, historyOf, peopleOf } from './people.js';

/**
 * Score of every pair of `pairs` (users by rows), aligned with pairs.values, from the people's `history` with
 * the same rows. Explicit scores are ratings before clamping. O(pairs·d) after the fold-in.
 */
export async function scorePairs(
  engine: Engine,
  model: ItemModel,
  history: Csr,
  pairs: Csr,
): Promise<Float32Array> {
  checkPublished(model, history);
  if (model.kind === 'factors') {
    const people = await peopleOf(engine, model, history);
    const scores = await engine.predictPairs(people.factors, itemMatrix(model), pairs);
    for (let user = 0; user < pairs.rowCount; user++) {
      const own = model.offset + (people.intercept?.[user] ?? 0);
      for (let k = pairs.offsets[user]; k < pairs.offsets[user + 1]; k++) {
        scores[k] = scores[k] + own + (model.itemBias?.[pairs.indices[k]] ?? 0);
      }
    }
    return scores;
  }
  const publishedMean = model.kind === 'baseline' ? model.users?.bias : undefined;
  const scores = new Float32Array(pairs.values.length);
  for (let user = 0; user < pairs.rowCount; user++) {
    if (pairs.offsets[user] === pairs.offsets[user + 1]) continue;
    const scorer = scorerFor(model, historyOf(history, user));
    for (let k = pairs.offsets[user]; k < pairs.offsets[user + 1]; k++) {
      const item = pairs.indices[k];
      scores[k] = publishedMean === undefined ? scorer.score(item) : scorer.base(item) + publishedMean[user];
    }
  }
  return scores;
}
