import type { RatingScale } from '@hushrec/ratings';
import { type People, protectedSums, SumError, zeroSums } from '@hushrec/statistics';
import { BlockError } from './blocks/block.js';
import { Coverage } from './blocks/coverage.js';
import type { BlockManifest } from './blocks/manifest.js';
import { decodePart, partsOf } from './blocks/partial-sums.js';
import type { SparkConnection } from './spark-connection.js';
import { sumStatement } from './statements.js';
import { questionFile } from './worker/question-file.js';

export interface SparkPeopleOptions {
  readonly connection: SparkConnection;
  /** Folder of the blocks on the cluster's storage. */
  readonly blocks: string;
  readonly manifest: BlockManifest;
}

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
    const pieces = [...partsOf(totals)].length;
    const statement = sumStatement({
      blocks,
      program: connection.program,
      question: name,
      blockCount: manifest.blocks.length,
      reducers: Math.min(pieces, connection.cores),
    });
    const rows = await connection.attempt(async (session) => {
      await session.addFile(name, bytes, signal);
      return session.rows(statement, { name: statistic.id, ...(signal && { signal }) });
    });
    collect(statistic.id, rows, totals, manifest.blocks.length);
    return protectedSums(statistic.id, shapes, totals);
  };
}

/**
 * Writes the pieces that came back into `totals`. @throws SumError unless every piece is there, once, and
 * covers every block
 */
export function collect(
  statistic: string,
  rows: readonly (readonly string[])[],
  totals: Readonly<Record<string, Float64Array>>,
  blockCount: number,
): void {
  const [failed] = rows.filter(([key]) => key === '!error');
  if (failed !== undefined) throw new SumError(statistic, failed[2]);
  const pieces = new Map(rows.map(([key, covered, data]) => [key, { covered, data }]));
  if (pieces.size !== rows.length) throw new SumError(statistic, 'a piece of it came twice.');
  for (const { key, values } of partsOf(totals)) {
    const piece = pieces.get(key);
    if (piece === undefined) throw new SumError(statistic, 'a piece of it did not come.');
    pieces.delete(key);
    const missing = missingBlocks(statistic, blockCount, piece.covered);
    if (missing > 0)
      throw new SumError(statistic, `${missing} of ${blockCount} blocks of people are missing in it.`);
    const decoded = decodePart(piece.data);
    if (decoded.length !== values.length) throw new SumError(statistic, 'a piece of it has another length.');
    values.set(decoded);
  }
  if (pieces.size > 0) throw new SumError(statistic, 'it has pieces that nobody asked for.');
}

function missingBlocks(statistic: string, blockCount: number, covered: string): number {
  try {
    return new Coverage(blockCount, new Uint8Array(Buffer.from(covered, 'base64'))).missing;
  } catch (error) {
    if (error instanceof BlockError) throw new SumError(statistic, error.message);
    throw error;
  }
}
