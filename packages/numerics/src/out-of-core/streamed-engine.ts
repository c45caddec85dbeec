import type { FactorMatrix } from '../csr.js';
import type { Engine, ItemStatistics, ItemStatisticsJob, SolveRowsJob } from '../engine.js';
import type { BlockSource, RowBlock } from './row-blocks.js';
import { openRowFiles, writeRowFiles } from './row-files.js';
import { transposeRowFiles } from './transpose-files.js';

/** Arrays aligned with the entries of one block, made when it is read: weights and targets need not be stored. */
export type AlignedArrays = (block: RowBlock) => {
  readonly weights?: Float32Array;
  readonly targets?: Float32Array;
};

/** `SolveRowsJob` with rows from files. */
export type StreamedSolveRows = Omit<SolveRowsJob, 'rows' | 'weights' | 'targets'> & {
  readonly rows: BlockSource;
  readonly aligned?: AlignedArrays;
};

/** `ItemStatisticsJob` with ratings by item from files, for all items. */
export type StreamedItemStatistics = Omit<
  ItemStatisticsJob,
  'byItem' | 'rootWeights' | 'targets' | 'begin' | 'end'
> & {
  readonly byItem: BlockSource;
  /** `weights` are the root weights √w here. */
  readonly aligned?: AlignedArrays;
  /** Most items summed at once: their matrices are in memory together. */
  readonly itemsPerBlock: number;
};

/**
 * Trains on ratings that stay in files: people's and items' vectors are in memory, ratings pass through it block by block.
 * Results are the bytes that the engine gives on the same data in memory, because no row's result depends on the rows
 * beside it.
 */
export class StreamedEngine {
  readonly engine: Engine;
  constructor(engine: Engine) {
    this.engine = engine;
  }

  /** Writes ratings by user and by item under `folder` and opens both. Memory: a block of each. */
  async prepare(
    folder: string,
    itemCount: number,
    byUser: AsyncIterable<Pick<RowBlock, 'rows'>> | Iterable<Pick<RowBlock, 'rows'>>,
  ): Promise<{ readonly byUser: BlockSource; readonly byItem: BlockSource }> {
    await writeRowFiles(`${folder}/by-user`, itemCount, byUser);
    const users = await openRowFiles(`${folder}/by-user`);
    return { byUser: users, byItem: await transposeRowFiles(users, `${folder}/by-item`) };
  }

  /** `Engine.solveRows`, block by block. */
  async solveRows(job: StreamedSolveRows): Promise<void> {
    const { rows: source, aligned, ...rest } = job;
    for await (const block of source.blocks()) {
      const { begin, end } = block;
      const ridge = typeof job.ridge === 'number' ? job.ridge : job.ridge.subarray(begin, end);
      await this.engine.solveRows({
        ...rest,
        ...aligned?.(block),
        rows: block.rows,
        ridge,
        out: rowsOf(job.out, begin, end),
      });
    }
  }

  /** `Engine.itemStatistics` for all items, a few at a time: items [begin, begin + vectors.length / d). */
  async *itemStatistics(
    job: StreamedItemStatistics,
  ): AsyncGenerator<ItemStatistics & { readonly begin: number }> {
    const { byItem: source, aligned, itemsPerBlock, ...rest } = job;
    for await (const block of source.blocks()) {
      const { weights, targets } = aligned?.(block) ?? {};
      const own: Pick<ItemStatisticsJob, 'byItem' | 'rootWeights' | 'targets'> = {
        byItem: block.rows,
        ...(weights !== undefined && { rootWeights: weights }),
        ...(targets !== undefined && { targets }),
      };
      for (let begin = 0; begin < block.rows.rowCount; begin += itemsPerBlock) {
        const end = Math.min(begin + itemsPerBlock, block.rows.rowCount);
        const sums = await this.engine.itemStatistics({ ...rest, ...own, begin, end });
        yield { begin: block.begin + begin, ...sums };
      }
    }
  }
}

/** Rows [begin, end) of a matrix, in place. */
function rowsOf(matrix: FactorMatrix, begin: number, end: number): FactorMatrix {
  const { width } = matrix;
  return { rowCount: end - begin, width, data: matrix.data.subarray(begin * width, end * width) };
}
