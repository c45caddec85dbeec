import { existsSync } from 'node:fs';
import type { SparkConnection } from '@hushrec/cluster';
import type { Command } from 'commander';
import { type CommandContext, OptionError } from './command.js';

/** `--engine` and what goes with it: where the work is done. */
export interface EngineFlags {
  readonly engine?: string;
  readonly storage?: string;
  readonly node?: string;
  readonly trustNetwork?: boolean;
}

export function addEngineFlags(command: Command): void {
  command
    .option(
      '--engine <where>',
      'local, local:THREADS, or sc://host:port of a Spark Connect server (token: HUSHREC_SPARK_TOKEN)',
    )
    .option(
      '--node <path>',
      'with a cluster: Node on its executors (node); a .tar.gz of Node, or auto for this one, is sent to them',
    )
    .option('--trust-network', 'with a cluster: do without encryption and authentication');
}

/** For commands that prepare people on a cluster. */
export function addStorageFlag(command: Command): void {
  command.option('--storage <folder>', 'with a cluster: folder on its storage for what is prepared');
}

/** Where the work is done. */
export type EnginePlace =
  | { readonly kind: 'local'; readonly threads?: number }
  | { readonly kind: 'spark'; readonly url: string };

/**
 * @param source what is read there, where that is known
 * @throws OptionError for an engine that is not known, or options or a source that need a cluster without one
 */
export function enginePlace(
  { engine = 'local', storage, node, trustNetwork }: EngineFlags,
  source = '',
): EnginePlace {
  if (engine.startsWith('sc://')) return { kind: 'spark', url: engine };
  const match = /^local(?::([1-9]\d{0,2}))?$/.exec(engine);
  if (match === null)
    throw new OptionError(
      `--engine ${engine.split(';')[0]}: expected local, local:THREADS or sc://host:port.`,
    );
  if (storage !== undefined || node !== undefined || trustNetwork === true)
    throw new OptionError(
      '--storage, --node and --trust-network are for a cluster: name it with --engine sc://…',
    );
  if (/^(?:table|delta|iceberg):/.test(source) && !existsSync(source))
    throw new OptionError(`Spark reads ${source}: name the cluster with --engine sc://host:port.`);
  return { kind: 'local', ...(match[1] !== undefined && { threads: Number(match[1]) }) };
}

/** An archive, where others are paths on the executors. */
const isSent = (node: string) => node === 'auto' || /\.(tar\.gz|tgz|tar|zip)$/i.test(node);

/** Looks at a cluster and says what it is; nothing of anyone is read. */
export async function openCluster(
  url: string,
  flags: EngineFlags,
  context: Pick<CommandContext, 'say' | 'signal'>,
): Promise<SparkConnection> {
  const { readNodeArchive, readSparkAddress, SparkConnection } = await import('@hushrec/cluster');
  const connection = await SparkConnection.open({
    address: readSparkAddress(url, process.env['HUSHREC_SPARK_TOKEN']),
    ...(flags.node !== undefined &&
      (isSent(flags.node) ? { nodeArchive: await readNodeArchive(flags.node) } : { node: flags.node })),
    trustNetwork: flags.trustNetwork === true,
    signal: context.signal,
  });
  const { version, cores } = connection;
  context.say(
    `Spark ${version}, ${cores} ${cores === 1 ? 'core' : 'cores'}, ${flags.trustNetwork === true ? 'network trusted' : 'authenticated and encrypted'}.`,
  );
  return connection;
}
