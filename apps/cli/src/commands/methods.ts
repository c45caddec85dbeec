import type { Method, Setting } from '@hushrec/factorize';
import type { Command } from 'commander';
import { addCommand } from '../command.js';
import { addPluginFlag, loadMethods, type PluginFlags } from '../plugins.js';
import { placesOf, placesTable } from '../where-methods-run.js';

export function registerMethods(program: Command): void {
  addCommand<PluginFlags>(program, {
    usage: 'methods [method]',
    summary: 'what can be trained: whom each method protects, its paper, its settings, where it runs',
    examples: ['hushrec methods', 'hushrec methods dpals', 'hushrec methods hush --json'],
    fields: [
      'methods (each: id title paper feedback protects runs), or for one method the same and settings',
    ],
    configure: addPluginFlag,
    run: async ([id], flags, { say }) => {
      await loadMethods(flags, say);
      const { methodById, methods } = await import('@hushrec/factorize');
      if (id === undefined)
        return {
          json: { methods: methods.map(summary) },
          text: `${listText(methods)}\n\n${placesTable(methods)}`,
        };
      const method = methodById(id);
      return { json: { ...summary(method), settings: method.settings }, text: methodText(method) };
    },
  });
}

function summary(method: Method) {
  const { id, title, paper, feedback, protects } = method;
  return { id, title, paper, feedback, protects, runs: placesOf(method) };
}

const groups = [
  ['Protecting people', (method: Method) => method.protects.some(({ unit }) => unit === 'user')],
  [
    'Protecting single ratings',
    (method: Method) => method.protects.length > 0 && method.protects.every(({ unit }) => unit !== 'user'),
  ],
  ['Without privacy, to compare with', (method: Method) => method.protects.length === 0],
] as const;

function listText(methods: readonly Method[]): string {
  const width = Math.max(...methods.map(({ id }) => id.length));
  return groups
    .map(([heading, belongs]) =>
      [
        `${heading}:`,
        ...methods
          .filter(belongs)
          .map(({ id, title, paper }) => `  ${id.padEnd(width)}  ${title} (${paper})`),
      ].join('\n'),
    )
    .join('\n\n');
}

function methodText({ id, title, paper, feedback, protects, settings, suggest }: Method): string {
  const entries = Object.entries(settings);
  const width = Math.max(0, ...entries.map(([key]) => key.length));
  return [
    `${id}: ${title} (${paper})`,
    `Feedback: ${feedback.join(' or ')}. Protects: ${
      protects.length === 0
        ? 'nobody'
        : protects.map(({ unit, relation }) => `${unit} (${relation})`).join(' or ')
    }.`,
    ...(suggest === undefined
      ? []
      : ['Some defaults below give way to rules that depend on ε, δ, the items and --people.']),
    ...(entries.length === 0 ? [] : ['', 'Settings (--set key=value):']),
    ...entries.map(
      ([key, setting]) => `  ${key.padEnd(width)}  ${rangeText(setting)}. ${setting.description}`,
    ),
  ].join('\n');
}

/** "16 (1 to 512)", "a (a, b or c)", "false (true or false)". */
function rangeText(setting: Setting): string {
  switch (setting.type) {
    case 'number':
    case 'integer':
      return `${setting.default} (${setting.min} to ${setting.max})`;
    case 'choice':
      return `${setting.default} (${setting.choices.join(', ')})`;
    case 'boolean':
      return `${setting.default} (true or false)`;
    case 'numbers-by-name':
      return `none (name:number,name:number; ${setting.min} to ${setting.max})`;
    default:
      return setting satisfies never;
  }
}
