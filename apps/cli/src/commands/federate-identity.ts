import type { Command } from 'commander';
import { addCommand } from '../command.js';
import { makeIdentity } from './federate-role.js';

interface IdentityOptions {
  readonly name: string;
  readonly url: string;
}

export function registerIdentity(group: Command): void {
  addCommand<IdentityOptions>(group, {
    usage: 'identity <folder>',
    summary: 'keys, certificate and public card of an aggregator, a coordinator or a party',
    examples: ['hushrec federate identity north --name north --url https://north.example:8443'],
    fields: ['folder', 'name', 'url', 'publicKey'],
    configure: (command) => {
      command
        .requiredOption('--name <name>', 'the name by which others know this role')
        .requiredOption('--url <address>', 'where others reach it, https://host:port (parties: any name)');
    },
    run: async ([folder], { name, url }) => {
      const office = await makeIdentity(folder, name, url);
      return {
        json: { folder, name, url, publicKey: office.publicKey },
        text: [
          `${folder}/identity.json is the public card of ${name}: send it to whoever writes the charter.`,
          'Everything else in the folder is secret, and as sensitive as the ratings.',
        ].join('\n'),
      };
    },
  });
}
