import { existsSync } from 'node:fs';
import type { SparkConnection } from '@hushrec/cluster';
import type { Command } from 'commander';
import { type CommandContext, OptionError } from './command.js';

/** `--engine` and what goes with it: where the work is done. */
export interface EngineFlags {
  readonly engine?: string;
  readonly storage?: string;
  readonly node?: string;
  readonly nodeArchive?: string;
  readonly trustNetwork?: boolean;
}

export function addEngineFlags(command: Command): void {
  command
    .option(
      '--engine <where>',
      'local, local:THREADS, or sc://host:port of a Spark Connect server (token: HUSHREC_SPARK_TOKEN)',
    )
    .option('--storage <folder>', 'with a cluster: folder on its storage for what is prepared')
    .option('--node <path>', 'with a cluster: Node on its executors (node)')
    .option(
      '--node-archive <file>',
      'with a cluster: Node sent to executors that have none: its .tar.gz, or auto for this one',
    )
    .option('--trust-network', 'with a cluster: do without encryption and authentication');
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
  { engine = 'local', storage, node, nodeArchive, trustNetwork }: EngineFlags,
  source = '',
): EnginePlace {
  if (node !== undefined && nodeArchive !== undefined)
    throw new OptionError('Either executors have Node (--node) or it is sent to them (--node-archive).');
  if (engine.startsWith('sc://')) return { kind: 'spark', url: engine };
  const match = /^local(?::([1-9]\d{0,2}))?$/.exec(engine);
  if (match === null)
    throw new OptionError(
      `--engine ${engine.split(';')[0]}: expected local, local:THREADS or sc://host:port.`,
    );
  if ([storage, node, nodeArchive].some((flag) => flag !== undefined) || trustNetwork === true)
    throw new OptionError(
      '--storage, --node, --node-archive and --trust-network are for a cluster: name it with --engine sc://…',
    );
  if (/^(?:table|delta|iceberg):/.test(source) && !existsSync(source))
    throw new OptionError(`Spark reads ${source}: name the cluster with --engine sc://host:port.`);
  return { kind: 'local', ...(match[1] !== undefined && { threads: Number(match[1]) }) };
}

/** Looks at a cluster and says what it is; nothing of anyone is read. */
export async function openCluster(
  url: string,
  flags: EngineFlags,
  context: Pick<CommandContext, 'say' | 'signal'>,
): Promise<SparkConnection> {
  const { readNodeArchive, readSparkAddress, SparkConnection } = await import('@hushrec/cluster');
  const connection = await SparkConnection.open({
    address: readSparkAddress(url, process.env['HUSHREC_SPARK_TOKEN']),
    ...(flags.node !== undefined && { node: flags.node }),
    ...(flags.nodeArchive !== undefined && { nodeArchive: await readNodeArchive(flags.nodeArchive) }),
    trustNetwork: flags.trustNetwork === true,
    signal: context.signal,
  });
  const { version, cores } = connection;
  context.say(
    `Spark ${version}, ${cores} ${cores === 1 ? 'core' : 'cores'}, ${flags.trustNetwork === true ? 'network trusted' : 'authenticated and encrypted'}.`,
  );
  return connection;
}
