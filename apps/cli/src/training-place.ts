import type { Method } from '@hushrec/factorize';
import type { TrainingSource } from '@hushrec/train';
import { checkClusterRequest, clusterFolder, clusterTrainingSource } from './cluster-source.js';
import type { CommandContext } from './command.js';
import { datasetFolder, refuseSourceFlags, type SourceFlags } from './data-source.js';
import { type EngineFlags, enginePlace, openCluster } from './engine-flags.js';
import type { AccountFlags } from './import-account.js';
import { checkProtocolFlags } from './protocol.js';
import { trainingSource } from './training-source.js';

/** What a training call is made on. */
export interface TrainingPlace {
  /** The data set folder. */
  readonly directory: string;
  readonly source: TrainingSource;
  readonly threads?: number;
}

/**
 * Opens what a person named, here or on a cluster, trains, and closes it. What cannot be done there is
 * refused before anything is looked at.
 */
export async function onTrainingPlace<Result>(
  path: string,
  method: Method,
  flags: SourceFlags &
    AccountFlags &
    EngineFlags &
    Parameters<typeof trainingSource>[2] & { readonly threads?: number; readonly resume?: boolean },
  context: CommandContext,
  train: (place: TrainingPlace) => Promise<Result>,
): Promise<Result> {
  checkProtocolFlags(flags);
  const engine = enginePlace(flags, path);
  if (engine.kind === 'local') {
    const directory = await datasetFolder(path, flags, context);
    const source = await trainingSource(directory, method, flags, context.say);
    const threads = engine.threads ?? flags.threads;
    return train({ directory, source, ...(threads !== undefined && { threads }) });
  }
  refuseSourceFlags(path, flags);
  checkClusterRequest(method, flags);
  const connection = await openCluster(engine.url, flags, context);
  try {
    const directory = await clusterFolder(connection, path, flags, context);
    const source = await clusterTrainingSource(connection, directory, method, flags, context.say);
    return await train({ directory, source, ...(flags.threads !== undefined && { threads: flags.threads }) });
  } finally {
    await connection.close();
  }
}
