import type { Command } from 'commander';
import { addCommand } from '../command.js';
import { writeNew } from '../whole-file.js';

export function registerCard(program: Command): void {
  addCommand<{ readonly out?: string }>(program, {
    usage: 'card <model>',
    summary: 'a model card in Markdown, from a model folder alone',
    examples: ['hushrec card shop-hush', 'hushrec card shop-hush --out MODEL-CARD.md'],
    fields: ['card', 'out'],
    configure: (command) => command.option('--out <file>', 'write it there instead of printing it'),
    run: async ([directory], { out }) => {
      const { modelCard } = await import('@hushrec/model/making');
      const { readModelFolder } = await import('@hushrec/model/folder');
      const card = modelCard(await readModelFolder(directory));
      if (out !== undefined) await writeNew(out, card, 'Name another file.');
      return {
        json: { card, ...(out !== undefined && { out }) },
        text: out === undefined ? card : `${out}: the model card.`,
      };
    },
  });
}
