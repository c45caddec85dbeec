import type { ItemModel } from '@hushrec/model';
import { type Csr, type Engine, sharedFloat32, sharedUint32 } from '@hushrec/numerics';
import type { CandidateTest } from '@hushrec/ratings';
import type { RankedLists } from './rank-items.js';
import { scorePairs } from './score-pairs.js';

/**
 * Ranks given candidates only (published comparisons with sampled negatives): `candidates` has one ascending
 * row of distinct items per person, the targets among them. Ties by smaller item index. O(c log c) per
 * person.
 */
export async function rankCandidates(
  engine: Engine,
  model: ItemModel,
  history: Csr,
  candidates: Csr,
  length: number,
): Promise<RankedLists> {
  const scores = await scorePairs(engine, model, history, candidates);
  const items = new Int32Array(candidates.rowCount * length).fill(-1);
  for (let user = 0; user < candidates.rowCount; user++) {
    const begin = candidates.offsets[user];
    const end = candidates.offsets[user + 1];
    const order = Uint32Array.from({ length: end - begin }, (_, at) => begin + at);
    order.sort((a, b) => scores[b] - scores[a] || a - b);
    for (let p = 0; p < length && p < order.length; p++)
      items[user * length + p] = candidates.indices[order[p]];
  }
  return { length, items };
}

/**
 * Each person's published negatives and own targets as one ascending row without repeats (published files
 * repeat items, and sometimes list the target among the negatives). O(entries log entries).
 */
export function candidatesWithTargets(
  { offsets: from, negatives }: Pick<CandidateTest, 'offsets' | 'negatives'>,
  targets: Csr,
): Csr {
  const { rowCount, columnCount } = targets;
  const rows: number[][] = [];
  const offsets = sharedUint32(rowCount + 1);
  for (let user = 0; user < rowCount; user++) {
    const own = new Set<number>(negatives.subarray(from[user], from[user + 1]));
    for (const item of targets.indices.subarray(targets.offsets[user], targets.offsets[user + 1]))
      own.add(item);
    rows.push([...own].sort((a, b) => a - b));
    offsets[user + 1] = offsets[user] + own.size;
  }
  const indices = sharedUint32(offsets[rowCount]);
  rows.forEach((row, user) => {
    indices.set(row, offsets[user]);
  });
  return { rowCount, columnCount, offsets, indices, values: sharedFloat32(indices.length).fill(1) };
}
