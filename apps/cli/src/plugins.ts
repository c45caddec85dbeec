import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { OptionError, repeated } from './command.js';

/** What a command that trains takes besides the methods that come with Hushrec. */
export interface PluginFlags {
  readonly plugin?: readonly string[];
}

/** Names plug-ins for the folder it lies in: `{ "plugins": ["./my-method.js"] }`. */
const configFile = 'hushrec.config.json';

/**
 * Commands that load plug-ins. Those that serve, recommend and verify are not among them, and never read the
 * file.
 */
export const commandsWithPlugins: readonly string[] = ['train', 'compare', 'audit', 'methods'];

export function addPluginFlag(command: Command): void {
  command.option(
    '--plugin <file>',
    `file or package with methods of your own; its code sees the ratings (repeatable; also in ${configFile})`,
    repeated,
  );
}

/**
 * Makes all methods known by name: those of Hushrec, and those of the plug-ins that were named, by flags or
 * by the file of the folder we are in.
 *
 * @throws PluginError
 */
export async function loadMethods({ plugin = [] }: PluginFlags, say: (line: string) => void): Promise<void> {
  await (await import('@hushrec/train/load-papers')).loadPapers();
  const named = [...new Set([...pluginsOfFolder(), ...plugin])];
  if (named.length === 0) return;
  const { loadPlugin } = await import('@hushrec/train/load-plugins');
  for (const each of named) {
    const { name, sha256, methods } = await loadPlugin(each);
    say(
      `Plug-in ${name} (SHA-256 ${sha256.slice(0, 16)}…): ${methods.join(', ')}. Its bounds are declared, not proved here.`,
    );
  }
}

/** Servers train without plug-ins, wherever they were started: HUSHREC_PLUGINS=none. */
function pluginsOfFolder(): readonly string[] {
  if (process.env['HUSHREC_PLUGINS'] === 'none') return [];
  let text: string;
  try {
    text = readFileSync(configFile, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  const plugins = pluginsIn(text);
  if (plugins === undefined)
    throw new OptionError(
      `${resolve(configFile)}: expected JSON with one field, such as { "plugins": ["./my-method.js"] }.`,
    );
  return plugins;
}

function pluginsIn(text: string): readonly string[] | undefined {
  try {
    const { plugins, ...others } = JSON.parse(text) as { readonly plugins?: unknown };
    const isRight =
      Object.keys(others).length === 0 &&
      Array.isArray(plugins) &&
      plugins.every((each) => typeof each === 'string' && each !== '');
    return isRight ? plugins : undefined;
  } catch {
    return undefined;
  }
}
