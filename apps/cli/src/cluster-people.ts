import type { Dataset } from '@hushrec/ratings';
import { type CommandContext, OptionError } from './command.js';
import { refuseSourceFlags, type SourceFlags, testFileOptions } from './data-source.js';
import { type EngineFlags, openCluster } from './engine-flags.js';
import { CommandError, exitCodes } from './exit-codes.js';

/**
 * The people of a test file with their histories from the cluster, as a data set in memory: a sample that is
 * small enough to evaluate here. A model on a cluster is trained on everyone, so only ratings that came later
 * can be asked for honestly.
 */
export async function testedPeople(
  url: string,
  directory: string,
  flags: SourceFlags & EngineFlags & { readonly test?: string },
  context: CommandContext,
): Promise<Dataset> {
  const { test } = flags;
  if (test === undefined)
    throw new OptionError(
      'People on a cluster are evaluated by --test FILE: later ratings of some of them, whose histories are fetched.',
    );
  refuseSourceFlags(directory, flags);
  const { heldOutPeople, readAllButRatings, readManifest } = await import('@hushrec/ratings');
  const { checkBlocks, clusterPlace, fetchPeople } = await import('@hushrec/cluster');
  const manifest = await readManifest(directory);
  const place = clusterPlace(manifest);
  if (place === undefined)
    throw new CommandError(
      exitCodes.wrongUsage,
      `${directory} has its people in itself: leave --engine out.`,
    );
  const dataset = await readAllButRatings(directory, manifest);
  const reading = await testFileOptions(manifest, flags, context);
  const ids = await heldOutPeople(test, reading.scale ?? manifest.scale, reading);
  const connection = await openCluster(url, flags, context);
  try {
    await checkBlocks(connection, place.blocks, place.manifest, context.signal);
    const { ids: userIds, rows } = await fetchPeople(connection, place, ids, context.signal);
    context.say(`${userIds.length} of ${ids.length} people of ${test} have a history on the cluster.`);
    return {
      ...dataset,
      userIds,
      ratings: { userCount: rows.rowCount, itemCount: manifest.items, scale: manifest.scale, byUser: rows },
    };
  } finally {
    await connection.close();
  }
}
