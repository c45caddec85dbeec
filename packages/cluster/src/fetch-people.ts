import { createHash } from 'node:crypto';
import { joinBlocks, type PeopleBlock } from './blocks/block.js';
import type { BlockManifest } from './blocks/manifest.js';
import { SparkError } from './connect/spark-errors.js';
import type { SparkConnection } from './spark-connection.js';
import { selectStatement } from './statements.js';

/**
 * The rows of some people, by their ids, in this process: for evaluation, where a few thousand are enough.
 * Exact ratings: they stay inside the boundary that the cluster and this process are in.
 */
export async function fetchPeople(
  connection: SparkConnection,
  { blocks, manifest }: { readonly blocks: string; readonly manifest: BlockManifest },
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<PeopleBlock> {
  const { scale, itemCount } = manifest;
  const options = Buffer.from(JSON.stringify({ scale, itemCount, ids }));
  const name = `people-${createHash('sha256').update(options).digest('hex').slice(0, 32)}.json`;
  const rows = await connection.attempt(async (session) => {
    await session.addFile(name, options, signal);
    const asked = { name: 'fetching people', ...(signal && { signal }) };
    return session.rows(selectStatement(blocks, connection.program, name), asked);
  });
  if (rows.some(([block]) => block === '!error')) throw new SparkError('Blocks of people could not be read.');
  return joinBlocks(
    rows.map(([block]) => Buffer.from(block, 'base64')),
    scale,
    itemCount,
  );
}
