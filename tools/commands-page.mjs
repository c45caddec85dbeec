// Writes docs/commands.md from the built command line.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { alignTables } from './align-tables.mjs';

/**
 * docs/commands.md: every command with its arguments, options, JSON fields and examples, as the program knows
 * them.
 */
export function commandsPage(program, { describedBy, exitCodeHelp }) {
  return [
    '# Commands',
    'Made from the program itself by `node tools/commands-page.mjs`; a test compares the two. Results go to standard ' +
      'output, messages and progress to standard error. Every command takes `--json` and then prints one JSON object. ' +
      '`null` in JSON stands for an ε without bound.',
    exitCodeHelp.trim().replaceAll('\n', ' '),
    ...program.commands.flatMap((command) => sections(command, 'hushrec', describedBy)),
  ]
    .join('\n\n')
    .concat('\n');
}

function sections(command, parent, describedBy) {
  if (command.name() === 'help') return [];
  const name = `${parent} ${command.name()}`;
  if (command.commands.length > 0)
    return command.commands.flatMap((child) => sections(child, name, describedBy));
  const spec = describedBy(command);
  const options = optionsOf(command);
  const args = command.registeredArguments.map((each) =>
    each.required ? ` <${each.name()}>` : ` [${each.name()}]`,
  );
  return [
    `## ${name}`,
    `\`${name}${args.join('')}\`: ${command.description()}.`,
    ...(options.length === 0
      ? []
      : [['| option | |', '| --- | --- |', ...options.map(optionRow)].join('\n')]),
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
function optionsOf(command) {
  const ofGroup = command.parent?.parent ? command.parent.options : [];
  return [...command.options, ...ofGroup].filter(({ hidden }) => !hidden);
}

function optionRow(option) {
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

function escaped(text) {
  return text.replaceAll('|', '\\|');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { buildProgram } = await import('../apps/cli/dist/main.js');
  const { describedBy } = await import('../apps/cli/dist/command.js');
  const { exitCodeHelp } = await import('../apps/cli/dist/exit-codes.js');
  const page = commandsPage(await buildProgram(), { describedBy, exitCodeHelp });
  writeFileSync(new URL('../docs/commands.md', import.meta.url), alignTables(page));
}
