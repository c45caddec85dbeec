import { createHash } from 'node:crypto';
import type { RatingScale } from '@hushrec/ratings';
import { type BlockManifest, blockManifest, ManifestError } from './blocks/manifest.js';
import type { SparkConnection } from './spark-connection.js';
import {
  describeStatement,
  emptyStatement,
  itemsStatement,
  manifestStatement,
  peopleCountStatement,
  peopleStatement,
  prepareStatement,
  type Relation,
  type SourceColumns,
} from './statements.js';

export interface PrepareRequest {
  readonly source: Relation;
  readonly columns: SourceColumns;
  readonly scale: RatingScale;
  /** Ids of all items in the order of their numbers. */
  readonly itemIds: readonly string[];
  /** Folder to write; what is there is replaced. */
  readonly blocks: string;
  /** Bad rows that may be left out. */
  readonly skipBadRows?: number;
  /** Into how many files people are dealt. */
  readonly shares?: number;
  readonly entriesPerBlock?: number;
  readonly signal?: AbortSignal;
}

export interface Prepared {
  readonly manifest: BlockManifest;
  readonly badRows: number;
  readonly duplicates: number;
}

/** Ids of all items of a source, in no order. */
export async function itemsOf(
  connection: SparkConnection,
  source: Relation,
  columns: SourceColumns,
  signal?: AbortSignal,
): Promise<string[]> {
  const asked = { name: 'listing items', ...(signal && { signal }) };
  const rows = await connection.rows(itemsStatement(source, columns), asked);
  return rows.map(([id]) => Buffer.from(id, 'base64').toString('utf8'));
}

/**
 * Ids of all people of a source in no order; undefined where there are more than `most`, of whom none are
 * brought.
 */
export async function peopleOf(
  connection: SparkConnection,
  source: Relation,
  columns: SourceColumns,
  most: number,
  signal?: AbortSignal,
): Promise<string[] | undefined> {
  const asked = { name: 'listing people', ...(signal && { signal }) };
  const [[count]] = await connection.rows(peopleCountStatement(source, columns), asked);
  if (Number(count) > most) return undefined;
  const rows = await connection.rows(peopleStatement(source, columns), asked);
  return rows.map(([id]) => Buffer.from(id, 'base64').toString('utf8'));
}

/** Names of the columns of a source. */
export async function columnsOf(
  connection: SparkConnection,
  source: Relation,
  signal?: AbortSignal,
): Promise<string[]> {
  const asked = { name: 'reading the columns', ...(signal && { signal }) };
  return (await connection.rows(describeStatement(source), asked)).map(([name]) => name);
}

/**
 * Packs ratings into blocks of whole people on the cluster's storage, once; training reads those. Nothing of
 * anyone comes here but names of blocks and counts.
 *
 * @throws ManifestError where rows are bad or a pair has two ratings that nothing puts in order; nothing is
 * left on the storage then
 */
export async function prepareBlocks(connection: SparkConnection, request: PrepareRequest): Promise<Prepared> {
  const { blocks, scale, itemIds, signal, skipBadRows = 0, entriesPerBlock } = request;
  const items = itemIds.map((id) => Buffer.from(id, 'utf8').toString('base64'));
  const options = Buffer.from(
    JSON.stringify({ scale, items, ...(entriesPerBlock !== undefined && { entriesPerBlock }) }),
  );
  const name = `catalogue-${createHash('sha256').update(options).digest('hex').slice(0, 32)}.json`;
  const statement = prepareStatement({
    source: request.source,
    columns: request.columns,
    blocks,
    program: connection.program,
    options: name,
    shares: request.shares ?? 2 * connection.cores,
  });
  const asked = (what: string) => ({ name: what, ...(signal && { signal }) });
  await connection.attempt(async (session) => {
    await session.addFile(name, options, signal);
    await session.run(statement, asked('preparing people'));
  });
  const rows = await connection.rows(manifestStatement(blocks), asked('reading what was prepared'));
  const total = (column: number) => rows.reduce((sum, row) => sum + Number(row[column]), 0);
  const [badRows, duplicates, unclear] = [total(3), total(4), total(5)];
  const refuse = async (why: string) => {
    await removeBlocks(connection, blocks);
    throw new ManifestError(why);
  };
  if (rows.some(([block]) => block === '!error')) await refuse('People could not be packed.');
  if (badRows > skipBadRows)
    await refuse(
      `${badRows} rows have no user, no item, an item that is not in the catalogue, or a rating that is not on the scale. --skip-bad-rows ${badRows} leaves them out.`,
    );
  if (unclear > 0)
    await refuse(
      `${unclear} ratings are of a person and item that have another rating, and nothing says which is the later one. Name a column of times (--columns user,item,rating,time).`,
    );
  return { manifest: manifestOf(rows, { itemCount: itemIds.length, scale }), badRows, duplicates };
}

/** What is on the storage now. @throws ManifestError where that is not what was prepared */
export async function checkBlocks(
  connection: SparkConnection,
  blocks: string,
  manifest: BlockManifest,
  signal?: AbortSignal,
): Promise<void> {
  const asked = { name: 'checking what was prepared', ...(signal && { signal }) };
  const rows = await connection.rows(manifestStatement(blocks), asked);
  const found = manifestOf(rows, manifest);
  if (JSON.stringify(found) !== JSON.stringify(manifest))
    throw new ManifestError(
      'The blocks on the storage are not those that were prepared. Prepare the data again (`hushrec import … --overwrite`).',
    );
}

/** Leaves nothing of blocks that are of no use any more. */
export async function removeBlocks(connection: SparkConnection, blocks: string): Promise<void> {
  await connection.attempt((session) => session.run(emptyStatement(blocks), { name: 'removing blocks' }));
}

function manifestOf(
  rows: readonly (readonly string[])[],
  about: Pick<BlockManifest, 'itemCount' | 'scale'>,
): BlockManifest {
  const found = rows
    .filter(([name]) => name !== '')
    .map(([name, people, entries]) => ({ name, people: Number(people), entries: Number(entries) }));
  return blockManifest(found, about);
}
