import type { Command } from 'commander';
import { commandsWithPlugins } from './plugins.js';

/** What flags were called before. */
const newNames: ReadonlyMap<string, string> = new Map([['declared-users', 'people']]);

/**
 * A word on a flag that `command` does not have: its name now, or that it is a setting of a method. Undefined
 * where nothing is known about it.
 */
export async function hintForUnknownFlag(
  flag: string,
  command: Command | undefined,
): Promise<string | undefined> {
  const has = (name: string) => command?.options.some(({ long }) => long === `--${name}`) === true;
  const now = newNames.get(flag);
  if (now !== undefined && has(now)) return `--${flag} is now called --${now}.`;
  if (flag === 'plugin')
    return `Plug-ins are code that runs beside the ratings: only ${commandsWithPlugins.join(', ')} load them.`;
  if (!has('set')) return undefined;
  await (await import('@hushrec/train/load-papers')).loadPapers();
  const { currentName, methods } = await import('@hushrec/factorize');
  const key = flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const setting = currentName(key) ?? key;
  return methods.some(({ settings }) => Object.hasOwn(settings, setting))
    ? `${setting} is a setting of methods: write --set ${setting}=….`
    : undefined;
}
