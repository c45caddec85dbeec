import type { Engine, FactorMatrix, SolvePsdJob } from '@hushrec/numerics';
import type { NoiseLayout, ReleaseRecorder } from '@hushrec/privacy';
import { type People, SumRoom } from '@hushrec/statistics';
import { itemBlocks } from './statistics/item-sum-bounds.js';
import { type ItemSumsQuestion, itemSums } from './statistics/item-sums.js';
import { solveUnprojected } from './unprojected-solve.js';

/** Noised sums of items [begin, end): released, hence free to use. */
export interface ReleasedItemSums {
  readonly begin: number;
  readonly end: number;
  /** (end − begin) packed upper triangles Â_j. */
  readonly matrices: Float64Array;
  /** (end − begin) vectors b̂_j. */
  readonly vectors: Float64Array;
}

/** Names of the two releases of a round, and the shape of the matrices' noise. */
export interface ItemRelease {
  readonly matrices: string;
  readonly vectors: string;
  /**
   * `goe`: off-diagonal entries get noise of deviation σ/√2, which protects as well because sensitivity is in
   * the Frobenius norm. `uniform`: σ on every entry of the triangle, as the papers print it.
   */
  readonly matrixNoise: 'goe' | 'uniform';
}

/**
 * Releases A_j = Σ_i w_ij u_i u_iᵀ and b_j = Σ_i w_ij y_ij u_i of all items, block by block, so that m × d²
 * numbers are never in memory at once; a block's arrays are used again for the next one. Both releases
 * together cost what the plan says, once for all blocks.
 */
export async function* releaseItemSums(
  recorder: ReleaseRecorder,
  people: People,
  question: Omit<ItemSumsQuestion, 'begin' | 'end'>,
  release: ItemRelease,
  signal?: AbortSignal,
): AsyncGenerator<ReleasedItemSums> {
  const { width } = question.own.items;
  const layout: NoiseLayout =
    release.matrixNoise === 'goe' ? { kind: 'symmetric', width } : { kind: 'vector' };
  const matrixRelease = recorder.begin(release.matrices);
  const vectorRelease = recorder.begin(release.vectors);
  const room = new SumRoom();
  const inPlace = { overwrite: true };
  for (const { part, begin, end } of itemBlocks(people.itemCount, width)) {
    signal?.throwIfAborted();
    const sums = await people.sum(itemSums, { ...question, begin, end }, signal, room);
    const { matrices: a, vectors: b } = sums;
    const matrices = await matrixRelease.add(part, a.statistic, a.gridStep, layout, inPlace);
    const vectors = await vectorRelease.add(part, b.statistic, b.gridStep, { kind: 'vector' }, inPlace);
    yield { begin, end, matrices, vectors };
  }
  matrixRelease.close();
  vectorRelease.close();
}

/** What the item solve adds to released sums: all of it public or released. */
export interface ItemSolve {
  /** λ_j per item, added after the projection so that noise cannot cancel it. */
  readonly ridge: Float64Array;
  /** d × d positive semi-definite matrix added to every item (unobserved pairs). */
  readonly common?: Float64Array;
  /** Public sums added to items [begin, end): packed matrices and vectors (feature sources). */
  readonly added?: (begin: number, end: number) => { matrices: Float64Array; vectors: Float64Array };
  /**
   * 1 for items whose private sums are used; the others follow from what is added alone. A released choice.
   */
  readonly frequent?: Uint8Array;
  /** false keeps negative eigenvalues of Â_j: an ablation, useless otherwise. */
  readonly project: boolean;
}

/**
 * v_j = (Π₊(Â_j) + added + common + λ_j I)⁻¹ (b̂_j + added) for one block (Chien et al. 2021, Algorithm 1,
 * with the ridge outside the projection). Post-processing. O(items × d³).
 */
export async function solveItems(
  engine: Engine,
  sums: ReleasedItemSums,
  solve: ItemSolve,
  out: FactorMatrix,
): Promise<void> {
  const { begin, end, matrices, vectors } = sums;
  if (solve.frequent) clearInfrequent(sums, out.width, solve.frequent);
  const added = solve.added?.(begin, end);
  if (added) for (let at = 0; at < vectors.length; at++) vectors[at] += added.vectors[at];
  const job: SolvePsdJob = {
    width: out.width,
    count: end - begin,
    matrices,
    vectors,
    ridge: solve.ridge.slice(begin, end),
    ...(solve.common && { common: solve.common }),
    ...(added && { added: added.matrices }),
    out,
    begin,
  };
  if (solve.project) await engine.solvePsd(job);
  else solveUnprojected(job);
}

function clearInfrequent(
  { begin, end, matrices, vectors }: ReleasedItemSums,
  width: number,
  frequent: Uint8Array,
) {
  const triangle = matrices.length / (end - begin);
  for (let item = begin; item < end; item++) {
    if (frequent[item] === 1) continue;
    matrices.fill(0, (item - begin) * triangle, (item - begin + 1) * triangle);
    vectors.fill(0, (item - begin) * width, (item - begin + 1) * width);
  }
}
