import type { Command } from 'commander';
import { addCommand, integerOption } from '../command.js';
import { refuseTaken, writeWhole } from '../whole-file.js';
import { openDesk } from './federate-issue.js';
import { charterOption, withCharter } from './federate-role.js';

interface InviteOptions {
  readonly charter: string;
  readonly count: number;
  readonly out: string;
}

const neverReplaced = 'Invitations are secret and are never written over; choose another file.';

export function registerInvite(group: Command): void {
  addCommand<InviteOptions>(group, {
    usage: 'invite <folder>',
    summary: 'make invitations to a run whose charter names an issuer: one for each person',
    examples: ['hushrec federate invite desk --charter run/charter.json --count 500 --out invitations.txt'],
    fields: ['invitations', 'count'],
    configure: (command) => {
      command
        .addOption(charterOption())
        .requiredOption('--count <n>', 'how many people', integerOption('count', 1))
        .requiredOption('--out <file>', 'file to write, one code a line');
    },
    run: ([folder], options) =>
      withCharter(options.charter, async () => {
        refuseTaken(options.out, neverReplaced);
        const { office } = await openDesk(folder, options.charter);
        const codes = await office.invite(options.count);
        await writeWhole(options.out, `${codes.join('\n')}\n`, 0o600);
        return {
          json: { invitations: options.out, count: codes.length },
          text: [
            `${options.out} holds ${codes.length} invitations, one a line. Give each person one, by a way you know them by.`,
            'Anyone with an invitation can take part once. Who used it is known; what was handed in is not.',
          ].join('\n'),
        };
      }),
  });
}
