import type { Command } from 'commander';
import { addCommand } from '../command.js';

export function registerCard(program: Command): void {
  addCommand(program, {
    usage: 'card <model>',
    summary: 'a model card in Markdown, from a model folder alone',
    examples: ['hushrec card shop-hush', 'hushrec card shop-hush > MODEL-CARD.md'],
    fields: ['card'],
    configure: () => undefined,
    run: async ([directory]) => {
      const { modelCard } = await import('@hushrec/model/making');
      const { readModelFolder } = await import('@hushrec/model/folder');
      const card = modelCard(await readModelFolder(directory));
      return { json: { card }, text: card };
    },
  });
}
