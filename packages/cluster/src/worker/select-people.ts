import type { RatingScale } from '@hushrec/ratings';
import { BlockWriter, joinBlocks } from '../blocks/block.js';

/** Whose rows are asked for, and how blocks are read. */
export interface SelectOptions {
  readonly scale: RatingScale;
  readonly itemCount: number;
  readonly ids: readonly string[];
}

/**
 * Rows of the people who are asked for: rows of (name, block in base64) in, a row of (block in base64) of
 * those people alone out for each.
 */
export async function selectPeople(
  rows: AsyncIterable<readonly string[]>,
  { scale, itemCount, ids }: SelectOptions,
  write: (...fields: readonly string[]) => Promise<void>,
): Promise<void> {
  const wanted = new Set(ids);
  for await (const [, encoded] of rows) {
    const block = joinBlocks([Buffer.from(encoded, 'base64')], scale, itemCount);
    const { offsets, indices, values } = block.rows;
    const writer = new BlockWriter(scale, itemCount);
    block.ids.forEach((id, row) => {
      if (!wanted.has(id)) return;
      const [begin, end] = [offsets[row], offsets[row + 1]];
      writer.add(id, indices.subarray(begin, end), values.subarray(begin, end));
    });
    if (writer.people > 0) await write(writer.take().toString('base64'), '', '');
  }
}
