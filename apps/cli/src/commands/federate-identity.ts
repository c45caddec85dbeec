import type { Command } from 'commander';
import { addCommand } from '../command.js';
import { makeIdentity } from './federate-role.js';

interface IdentityOptions {
  readonly name: string;
  readonly url: string;
  readonly publicCertificate?: boolean;
}

export function registerIdentity(group: Command): void {
  addCommand<IdentityOptions>(group, {
    usage: 'identity <folder>',
    summary: 'keys, certificate and public card of an aggregator, a coordinator or a party',
    examples: [
      'hushrec federate identity north --name north --url https://north.example:8443',
      'hushrec federate identity site --name site --url https://site.example --public-certificate',
    ],
    fields: ['folder', 'name', 'url', 'publicKey'],
    configure: (command) => {
      command
        .requiredOption('--name <name>', 'the name by which others know this role')
        .requiredOption('--url <address>', 'where others reach it, https://host:port (parties: any name)')
        .option(
          '--public-certificate',
          'the address is a proxy’s, with a certificate that browsers accept: no certificate of its own',
        );
    },
    run: async ([folder], { name, url, publicCertificate = false }) => {
      const office = await makeIdentity(folder, name, url, { publicCertificate });
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
