import type { RatingScale } from '@hushrec/ratings';
import { isKnownStatistic, type People, protectedSums, SumError, zeroSums } from '@hushrec/statistics';
import { BlockError } from './blocks/block.js';
import type { BlockManifest } from './blocks/manifest.js';
import { PartSums } from './blocks/part-sums.js';
import { InexactSumError, partsOf } from './blocks/partial-sums.js';
import type { SparkConnection } from './spark-connection.js';
import { mapStatement, sumStatement, viewStatement } from './statements.js';
import { questionFile } from './worker/question-file.js';

export interface SparkPeopleOptions {
  readonly connection: SparkConnection;
  /** Folder of the blocks on the cluster's storage. */
  readonly blocks: string;
  readonly manifest: BlockManifest;
  /**
   * Up to how many numbers of partial sums come here to be added; beyond, reducers on the cluster add them.
   * `MOST_NUMBERS_HERE` unless told otherwise.
   */
  readonly mostNumbersHere?: number;
}

/**
 * A second stage costs the start of a Node process in each reducer, a shuffle and its planning, about 0.3
 * seconds of processor time (`npm run bench -- spark`); two million numbers are 11 MB on the way and 0.2
 * seconds here.
 */
const MOST_NUMBERS_HERE = 2 ** 21;

/** A task of so many blocks takes some twenty seconds; whatever repeats it need not do more. */
const MOST_BLOCKS_OF_A_TASK = 256;

/**
 * Everyone's ratings in blocks on a cluster's storage, summed by workers inside Spark's executors. What comes
 * back are exact integers; noise is added in this process, as for people who are here. A sum in which a block
 * is missing or counted twice, or that reached 2⁵³, is refused.
 */
export class SparkPeople implements People {
  readonly itemCount: number;
  readonly scale: RatingScale;
  readonly #options: SparkPeopleOptions;

  constructor(options: SparkPeopleOptions) {
    this.itemCount = options.manifest.itemCount;
    this.scale = options.manifest.scale;
    this.#options = options;
  }

  readonly sum: People['sum'] = async (statistic, published, signal, room) => {
    signal?.throwIfAborted();
    if (!isKnownStatistic(statistic))
      throw new SumError(
        statistic.id,
        'it is a plug-in’s own, which workers on a cluster do not have. Train where the data is: without --engine sc://….',
      );
    const { connection, blocks, manifest } = this.#options;
    const shapes = statistic.shapes(published, this.itemCount);
    const totals = zeroSums(shapes, room);
    if (manifest.blocks.length === 0) return protectedSums(statistic.id, shapes, totals);
    const { name, bytes } = questionFile({
      statistic: statistic.id,
      published,
      itemCount: this.itemCount,
      scale: this.scale,
      blocks: manifest.blocks.join(''),
    });
    const tasks = Math.max(connection.cores, Math.ceil(manifest.blocks.length / MOST_BLOCKS_OF_A_TASK));
    const parts = { blocks, program: connection.program, question: name, tasks };
    const pieces = [...partsOf(totals)];
    const numbers = pieces.reduce((sum, { values }) => sum + values.length, 0);
    const { mostNumbersHere = MOST_NUMBERS_HERE } = this.#options;
    const isAddedHere = numbers * tasks <= mostNumbersHere;
    const statement = isAddedHere
      ? mapStatement(parts)
      : sumStatement({
          ...parts,
          blockCount: manifest.blocks.length,
          reducers: Math.min(pieces.length, connection.cores),
        });
    const rows = await connection.attempt(async (session) => {
      await session.runOnce(viewStatement(blocks), { name: 'finding people', ...(signal && { signal }) });
      await session.addFile(name, bytes, signal);
      return session.rows(statement, { name: statistic.id, ...(signal && { signal }) });
    });
    collect(statistic.id, rows, totals, manifest.blocks.length);
    return protectedSums(statistic.id, shapes, totals);
  };
}

/**
 * Adds the pieces that came back, from reducers or straight from map tasks, and writes them into `totals`.
 *
 * @throws SumError unless every piece covers every block once
 */
export function collect(
  statistic: string,
  rows: readonly (readonly string[])[],
  totals: Readonly<Record<string, Float64Array>>,
  blockCount: number,
): void {
  const [failed] = rows.filter(([key]) => key === '!error');
  if (failed !== undefined) throw new SumError(statistic, failed[2]);
  const sums = addedRows(statistic, rows, blockCount);
  for (const { key, values } of partsOf(totals)) {
    const piece = sums.take(key);
    if (piece === undefined) throw new SumError(statistic, 'a piece of it did not come.');
    const { missing } = piece.covered;
    if (missing > 0)
      throw new SumError(statistic, `${missing} of ${blockCount} blocks of people are missing in it.`);
    if (piece.values.length !== values.length)
      throw new SumError(statistic, 'a piece of it has another length.');
    values.set(piece.values);
  }
  if (sums.size > 0) throw new SumError(statistic, 'it has pieces that nobody asked for.');
}

function addedRows(statistic: string, rows: readonly (readonly string[])[], blockCount: number): PartSums {
  const sums = new PartSums(blockCount);
  try {
    for (const row of rows) sums.add(row);
  } catch (error) {
    if (error instanceof BlockError || error instanceof InexactSumError)
      throw new SumError(statistic, error.message);
    throw error;
  }
  return sums;
}
