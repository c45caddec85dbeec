import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { ClusterImported, ClusterPlace, SparkConnection } from '@hushrec/cluster';
import type { Method } from '@hushrec/factorize';
import type { FeatureSource } from '@hushrec/ratings';
import type { TrainingSource } from '@hushrec/train';
import { type CommandContext, OptionError } from './command.js';
import { assumedScale, checkAccount, type SourceFlags } from './data-source.js';
import type { EngineFlags } from './engine-flags.js';
import { CommandError, exitCodes } from './exit-codes.js';
import { featureFiles, leavesOutFeatures } from './feature-files.js';
import { type AccountFlags, importIntoAccount } from './import-account.js';

type ClusterFlags = SourceFlags & AccountFlags & EngineFlags;

/** Prepares ratings on the cluster's storage, with an account, and writes the data set folder. */
export async function importFromCluster(
  connection: SparkConnection,
  source: string,
  directory: string,
  flags: ClusterFlags,
  context: CommandContext,
  overwrite: boolean,
): Promise<ClusterImported & { readonly ledger: string }> {
  const { storage } = flags;
  if (storage === undefined)
    throw new OptionError('Give --storage: a folder on the cluster’s storage for the prepared people.');
  if (flags.events !== undefined)
    throw new OptionError(
      '--events is for data on this machine: on a cluster, write the rows to keep to a table of their own first.',
    );
  const { importOnCluster } = await import('@hushrec/cluster');
  const { accountIn, parseScale, readForgotten } = await import('@hushrec/ratings');
  if ((await readForgotten(directory)) !== undefined)
    throw new CommandError(
      exitCodes.badData,
      `${directory} has a list of people who must not be imported, and nobody on a cluster is compared with it. Leave them out of ${source}, and import to another folder.`,
    );
  let isAssumed = false;
  const imported = await importIntoAccount(directory, flags, context, ({ chooseAccount }) =>
    importOnCluster(connection, {
      source,
      directory,
      storage,
      ...(flags.scale !== undefined && { scale: parseScale(flags.scale) }),
      assumeScale: () => {
        isAssumed = true;
        return assumedScale;
      },
      overwrite,
      ...(flags.columns && { columns: flags.columns.split(',').map((each) => each.trim()) }),
      ...(flags.catalogue && { catalogue: flags.catalogue }),
      ...(flags.items && { items: flags.items }),
      ...(flags.skipBadRows !== undefined && { skipBadRows: flags.skipBadRows }),
      chooseAccount: async (userIds) => {
        if (userIds === undefined)
          context.say(
            'More than a million people are not compared with those of other accounts. If they have an account, give it with --account.',
          );
        return chooseAccount({ userIds: userIds ?? [], existing: () => accountIn(directory) });
      },
      signal: context.signal,
    }),
  );
  if (isAssumed)
    context.say(
      'No rating scale was declared: half stars from 0.5 to 5 were assumed. Declare another with --scale min:max:step.',
    );
  return imported;
}

/** What is read from the storage, in words. */
export function clusterText({ manifest, version }: ClusterPlace): string {
  const number = (value: number) => value.toLocaleString('en');
  const from = version === undefined ? '' : ` from ${version}`;
  return `${number(manifest.ratings)} ratings of ${number(manifest.people)} people in ${number(manifest.blocks.length)} blocks${from}`;
}

/**
 * The data set folder for what a person named: itself, or Parquet or a table on the cluster's storage, which
 * is prepared once and found again while its files or its version are the same.
 */
export async function clusterFolder(
  connection: SparkConnection,
  path: string,
  flags: ClusterFlags & { readonly resume?: boolean },
  context: CommandContext,
): Promise<string> {
  const { checkBlocks, clusterPlace, isUnchanged, sourceName } = await import('@hushrec/cluster');
  const { readManifest } = await import('@hushrec/ratings');
  const isFolder = existsSync(join(path, 'dataset.json'));
  const directory = isFolder ? path : `${sourceName(path)}.hushrec`;
  const isThere = existsSync(join(directory, 'dataset.json'));
  const place = isThere ? clusterPlace(await readManifest(directory)) : undefined;
  if (isThere && place === undefined)
    throw new CommandError(
      exitCodes.wrongUsage,
      `${directory} has its people in itself: leave --engine out, or name Parquet on the cluster’s storage.`,
    );
  if (place !== undefined && (isFolder || place.source === path)) {
    await checkAccount(directory, flags);
    if (flags.resume === true) {
      // A run is resumed on what it was paid for, whatever became of the source since.
      await checkBlocks(connection, place.blocks, place.manifest, context.signal);
      return directory;
    }
    if (await isUnchanged(connection, place, context.signal)) {
      context.say(`${clusterText(place)}, prepared before and unchanged.`);
      return directory;
    }
    context.say(
      place.files === undefined
        ? `Nobody can tell whether ${place.source} changed since it was prepared: it is prepared again.`
        : `${place.source} changed since it was prepared: it is prepared again.`,
    );
  } else if (place !== undefined)
    throw new CommandError(
      exitCodes.wrongUsage,
      `${directory} was prepared from ${place.source}. Import ${path} into another folder: hushrec import ${path} FOLDER --engine … --storage …`,
    );
  const source = isFolder && place !== undefined ? place.source : path;
  const again = place === undefined ? flags : { ...saidBefore(place), ...flags };
  const imported = await importFromCluster(connection, source, directory, again, context, isThere);
  context.say(`Prepared ${source} in ${directory}: ${clusterText(imported.place)}.`);
  return directory;
}

/** What was said when a source was prepared, for when it is prepared again. */
function saidBefore({ columns, blocks, manifest }: ClusterPlace) {
  const { min, max, step } = manifest.scale;
  return {
    columns: [
      columns.user,
      columns.item,
      columns.rating ?? '-',
      ...(columns.time ? [columns.time] : []),
    ].join(','),
    scale: `${min}:${max}:${step}`,
    storage: blocks.slice(0, blocks.lastIndexOf('/')),
  };
}

/**
 * A data set whose people are on a cluster, as the training call takes it. The connection is closed by
 * whoever opened it.
 */
export async function clusterTrainingSource(
  connection: SparkConnection,
  directory: string,
  method: Method,
  flags: { readonly features?: readonly string[]; readonly kind?: readonly string[] },
  say: (line: string) => void,
): Promise<TrainingSource> {
  const { clusterIdentity, clusterPlace, SparkPeople } = await import('@hushrec/cluster');
  const { publishedItems, readAllButRatings, readManifest, readPublicPart } = await import(
    '@hushrec/ratings'
  );
  const manifest = await readManifest(directory);
  const place = clusterPlace(manifest)!;
  const files = await featureFiles(directory, method, flags, say);
  const known = await readPublicPart(directory, manifest);
  const withFiles = (stored: readonly FeatureSource[]) =>
    leavesOutFeatures(flags) ? [] : [...stored, ...files];
  return {
    name: basename(resolve(directory)),
    account: manifest.account,
    identity: clusterIdentity(place),
    itemCount: manifest.items,
    scale: manifest.scale,
    ...known,
    features: withFiles(known.features),
    async open() {
      const dataset = await readAllButRatings(directory, manifest);
      return {
        identity: clusterIdentity(place),
        account: manifest.account.id,
        people: () => new SparkPeople({ connection, blocks: place.blocks, manifest: place.manifest }),
        features: withFiles(dataset.features),
        items: publishedItems(dataset),
      };
    },
  };
}

/** Refuses what is not there for people on a cluster, before anything is looked at. */
export function checkClusterRequest(
  method: Pick<Method, 'id' | 'needs'>,
  flags: { readonly protocol?: string; readonly liked?: number; readonly memory?: number },
): void {
  if (method.needs === 'ratings')
    throw new OptionError(
      `${method.id} must see all ratings in one process, and people are on a cluster. \`hushrec methods\` lists what works from sums, such as hush.`,
    );
  if (flags.protocol !== undefined || flags.liked !== undefined || flags.memory !== undefined)
    throw new OptionError(
      '--protocol, --liked and --memory are for ratings on this machine: leave --engine out.',
    );
}
