import { randomBytes } from 'node:crypto';
import {
  BadDataError,
  checkTarget,
  type DatasetAccount,
  type DatasetManifest,
  namedColumns,
  type RatingScale,
  readCatalogue,
  readItemTable,
  readManifest,
  type SaidOfScale,
  scaleOf,
  sortIds,
  withoutRatings,
  writeDataset,
} from '@hushrec/ratings';
import { type BlockManifest, manifestIdentity } from './blocks/manifest.js';
import { checkBlocks, columnsOf, itemsOf, peopleOf, prepareBlocks, removeBlocks } from './prepare-blocks.js';
import type { SparkConnection } from './spark-connection.js';
import { lookAtSource, readSparkSource } from './spark-source.js';
import type { SourceColumns } from './statements.js';

/**
 * Where the people of a data set are, if on a cluster: kept in the provenance of its manifest, sealed with
 * it.
 */
export interface ClusterPlace {
  readonly source: string;
  readonly columns: SourceColumns;
  /**
   * Hash of names, sizes and times of the source's files when it was prepared, or of a table's version;
   * absent where nobody can tell whether it is still the same.
   */
  readonly files?: string;
  /** Which version of a table was read, such as `Delta version 12`; absent where it keeps none. */
  readonly version?: string;
  /** Folder of the blocks. */
  readonly blocks: string;
  readonly manifest: BlockManifest;
}

/** Where the people of a data set are; undefined where they are in its folder. */
export function clusterPlace(manifest: DatasetManifest): ClusterPlace | undefined {
  return manifest.provenance['cluster'] as ClusterPlace | undefined;
}

/** Identity of the people's data: of what was prepared. */
export function clusterIdentity({ manifest }: ClusterPlace): string {
  return manifestIdentity(manifest);
}

export interface ClusterImport extends SaidOfScale {
  /** Parquet on the cluster's storage, or a table that Spark reads (`table:…`, `delta:…`). */
  readonly source: string;
  /** Folder on this machine: the catalogue, the account, and where people are. */
  readonly directory: string;
  /** Folder on the cluster's storage under which blocks are written. */
  readonly storage: string;
  readonly columns?: readonly string[];
  readonly catalogue?: string;
  readonly items?: string;
  readonly name?: string;
  readonly skipBadRows?: number;
  readonly overwrite?: boolean;
  readonly chooseAccount: (userIds: readonly string[] | undefined) => Promise<DatasetAccount>;
  readonly signal?: AbortSignal;
}

export interface ClusterImported {
  readonly manifest: DatasetManifest;
  readonly place: ClusterPlace;
  readonly badRows: number;
  readonly duplicates: number;
}

/** Up to how many people are compared with those of other accounts: their ids are brought here for it. */
const COMPARED_PEOPLE = 1_000_000;

/**
 * Prepares ratings on a cluster's storage for training, once: blocks of people there, and here a data set
 * folder with the catalogue, the account, the names of all blocks, and no people.
 */
export async function importOnCluster(
  connection: SparkConnection,
  request: ClusterImport,
): Promise<ClusterImported> {
  const { source, directory, storage, signal, overwrite = false } = request;
  await checkTarget(directory, overwrite);
  const before = overwrite ? await placeIn(directory) : undefined;
  const { relation, state, version } = await lookAtSource(connection, source, signal);
  const columns = namedColumns(source, await columnsOf(connection, relation, signal), request.columns);
  const scale = scaleOf(request, columns.rating !== undefined);
  const catalogue = request.catalogue === undefined ? undefined : await readCatalogue(request.catalogue);
  const { sorted: itemIds } = sortIds([
    ...(catalogue ?? (await itemsOf(connection, relation, columns, signal))),
  ]);
  const account = await request.chooseAccount(
    await peopleOf(connection, relation, columns, COMPARED_PEOPLE, signal),
  );
  const blocks = `${storage.replace(/\/+$/, '')}/hushrec-blocks-${randomBytes(8).toString('hex')}`;
  const prepared = await prepareBlocks(connection, {
    source: relation,
    columns,
    scale,
    itemIds,
    blocks,
    ...(request.skipBadRows !== undefined && { skipBadRows: request.skipBadRows }),
    ...(signal && { signal }),
  });
  let imported: ClusterImported;
  try {
    // A version was read as it was, whatever came after it.
    const isVersioned = version !== undefined;
    if (!isVersioned && (await lookAtSource(connection, source, signal)).state !== state)
      throw new BadDataError(
        { file: source },
        'it changed while it was read',
        'Import it again when it is whole.',
      );
    const place: ClusterPlace = {
      ...{ source, columns, blocks, manifest: prepared.manifest },
      ...(state !== undefined && { files: state }),
      ...(version !== undefined && { version }),
    };
    imported = await writeFolder(request, { itemIds, scale, account, place, ...prepared });
  } catch (error) {
    await removeBlocks(connection, blocks).catch(() => undefined);
    throw error;
  }
  // The new ones are in use from here on; old ones that cannot be removed are no reason to lose them.
  if (before !== undefined) await removeBlocks(connection, before.blocks).catch(() => undefined);
  return imported;
}

/** The data set folder here: catalogue and account, where the blocks are, and no people. */
async function writeFolder(
  { source, directory, name, catalogue, items, overwrite = false, signal }: ClusterImport,
  prepared: {
    readonly itemIds: readonly string[];
    readonly scale: RatingScale;
    readonly account: DatasetAccount;
    readonly place: ClusterPlace;
    readonly badRows: number;
    readonly duplicates: number;
  },
): Promise<ClusterImported> {
  const { itemIds, scale, account, place, badRows, duplicates } = prepared;
  const table = items === undefined ? undefined : await readItemTable(items, itemIds);
  const manifest = await writeDataset(
    directory,
    {
      name: name ?? source,
      ratings: withoutRatings(0, { itemCount: itemIds.length, scale }),
      userIds: [],
      itemIds,
      itemTitles: itemIds.map((_, item) => table?.titles[item] ?? ''),
      ...(table?.links && { itemLinks: table.links }),
      ...(table?.images && { itemImages: table.images }),
      features: table?.features ? [table.features] : [],
      provenance: {
        source,
        format: readSparkSource(source).kind,
        badRows,
        duplicates,
        items: catalogue === undefined ? 'those rated' : 'from a catalogue',
        cluster: place,
      },
    },
    { overwrite, account, ...(signal && { signal }) },
  );
  return { manifest, place, badRows, duplicates };
}

async function placeIn(directory: string): Promise<ClusterPlace | undefined> {
  const manifest = await readManifest(directory).catch(() => undefined);
  return manifest && clusterPlace(manifest);
}

/**
 * Whether what was prepared before can be used: the source's files are as they were, and the blocks are those
 * that were prepared.
 *
 * @throws ManifestError where blocks were changed
 */
export async function isUnchanged(
  connection: SparkConnection,
  { source, files, blocks, manifest }: ClusterPlace,
  signal?: AbortSignal,
): Promise<boolean> {
  const { state } = await lookAtSource(connection, source, signal);
  if (state === undefined || state !== files) return false;
  await checkBlocks(connection, blocks, manifest, signal);
  return true;
}
