import type { ItemChoice } from '@hushrec/recommend';
import type { Command } from 'commander';
import { OptionError, repeated } from './command.js';
import { CommandError, exitCodes } from './exit-codes.js';

/** Which items may be shown. */
export interface ItemChoiceFlags {
  readonly only?: string;
  readonly without?: string;
  readonly where?: readonly string[];
  readonly items?: string;
}

export function addItemChoiceFlags(command: Command): void {
  command
    .option('--only <file>', 'choose among these items: one id a line, or a table with a column of items')
    .option('--without <file>', 'leave these items out')
    .option(
      '--where <column=value>',
      'choose among items with this value in the table of --items; several: all must hold',
      repeated,
    )
    .option('--items <file>', 'public table about items that --where asks: item,category,…');
}

/**
 * The items that flags choose among.
 *
 * @param known ids of the model
 * @throws CommandError where none is left; OptionError for --where without a table
 */
export async function itemChoice(
  { only, without, where = [], items }: ItemChoiceFlags,
  known: readonly string[],
  say: (line: string) => void,
): Promise<ItemChoice> {
  if (where.length > 0 && items === undefined)
    throw new OptionError(
      '--where: a model holds ids and titles of items, and no categories. Give the public table that has them: --items FILE.',
    );
  if (where.length === 0 && items !== undefined)
    throw new OptionError('--items is the table that --where asks: say --where column=value too.');
  if (only === undefined && without === undefined && where.length === 0) return {};
  const { itemsWhere, readCatalogue } = await import('@hushrec/ratings');
  const allowed: ReadonlySet<string>[] = [];
  if (only !== undefined) allowed.push(await readCatalogue(only));
  for (const each of where) {
    const [, column, value] = /^([^=]+)=(.+)$/.exec(each) ?? [];
    if (column === undefined) throw new OptionError(`--where is "${each}"; expected column=value.`);
    allowed.push(await itemsWhere(items!, column.trim(), value));
  }
  const denied = without === undefined ? undefined : await readCatalogue(without);
  const isLeft = (id: string) => allowed.every((ids) => ids.has(id)) && denied?.has(id) !== true;
  const left = known.filter(isLeft);
  if (left.length === 0)
    throw new CommandError(
      exitCodes.badData,
      `No item of the model is left by ${[only && '--only', without && '--without', where.length > 0 && '--where'].filter(Boolean).join(', ')}. Ids must be those of the model.`,
    );
  const ids = new Set(known);
  for (const [flag, file, listed] of [
    ['--only', only, allowed[0]],
    ['--without', without, denied],
  ] as const) {
    const strange = file === undefined ? [] : [...(listed ?? [])].filter((id) => !ids.has(id));
    if (strange.length > 0)
      say(
        `${flag} ${file}: ${strange.length} of ${listed?.size} ids are unknown to the model: ${strange.slice(0, 5).join(', ')}${strange.length > 5 ? ', …' : ''}.`,
      );
  }
  return {
    ...(allowed.length > 0 && { only: left }),
    ...(allowed.length === 0 && denied && { exclude: denied }),
  };
}
