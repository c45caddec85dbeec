import type { Command, Option } from 'commander';
import { describedBy } from './command.js';
import { exitCodeHelp } from './exit-codes.js';

/**
 * docs/commands.md: every command with its arguments, options, JSON fields and examples, as the program knows
 * them.
 */
export function commandsPage(program: Command): string {
  return [
    '# Commands',
    'Made from the program itself by `node tools/commands-page.mjs`; a test compares the two. Results go to standard ' +
      'output, messages and progress to standard error. Every command takes `--json` and then prints one JSON object. ' +
      '`null` in JSON stands for an ε without bound.',
    exitCodeHelp.trim().replaceAll('\n', ' '),
    ...program.commands.flatMap((command) => sections(command, 'hushrec')),
  ]
    .join('\n\n')
    .concat('\n');
}

function sections(command: Command, parent: string): string[] {
  if (command.name() === 'help') return [];
  const name = `${parent} ${command.name()}`;
  if (command.commands.length > 0) return command.commands.flatMap((child) => sections(child, name));
  const spec = describedBy(command);
  const args = command.registeredArguments.map((each) =>
    each.required ? ` <${each.name()}>` : ` [${each.name()}]`,
  );
  return [
    `## ${name}`,
    `\`${name}${args.join('')}\`: ${command.description()}.`,
    ['| option | |', '| --- | --- |', ...optionsOf(command).map(optionRow)].join('\n'),
    ...(spec === undefined
      ? []
      : [
          ...(spec.notes === undefined ? [] : [['```text', spec.notes, '```'].join('\n')]),
          ...(spec.fields.length === 0 ? [] : [`\`--json\` gives: ${spec.fields.join(', ')}.`]),
          ['```sh', ...spec.examples, '```'].join('\n'),
        ]),
  ];
}

/** Its own and those of its group; the program's, which all have, are said once. */
function optionsOf(command: Command): readonly Option[] {
  const ofGroup = command.parent?.parent ? command.parent.options : [];
  return [...command.options, ...ofGroup].filter(({ hidden }) => !hidden);
}

function optionRow(option: Command['options'][number]): string {
  const { flags, description, defaultValue, argChoices, envVar } = option;
  const besides = [
    ...(argChoices === undefined ? [] : [`one of ${argChoices.join(', ')}`]),
    ...(defaultValue === undefined || typeof defaultValue === 'boolean'
      ? []
      : [`default ${String(defaultValue)}`]),
    ...(envVar === undefined ? [] : [`or ${envVar}`]),
  ];
  const text = `${description}${besides.length > 0 ? ` (${besides.join('; ')})` : ''}`;
  return `| \`${escaped(flags)}\` | ${escaped(text)} |`;
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|');
}
