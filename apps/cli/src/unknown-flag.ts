import type { Command } from 'commander';
import { commandsWithPlugins } from './plugins.js';

/** How a source is read: said once, when it is imported. */
const ofImport =
  /^(format|separator|header|columns|events|skip-bad-rows|scale|query|catalogue|items|items-query|account)$/;

/**
 * A word on a flag that `command` does not have: which command has it, or that it is a setting of a method.
 * Undefined where nothing is known about it.
 */
export async function hintForUnknownFlag(
  flag: string,
  command: Command | undefined,
): Promise<string | undefined> {
  const has = (name: string) => command?.options.some(({ long }) => long === `--${name}`) === true;
  if (ofImport.test(flag) && ['scale', 'from', 'histories'].some(has))
    return `--${flag} belongs to \`hushrec import\`: import the source with it, then name the data set here.`;
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
