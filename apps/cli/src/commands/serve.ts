import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Ledger } from '@hushrec/ledger';
import type { Command } from 'commander';
import {
  addCommand,
  type CommandContext,
  integerOption,
  OptionError,
  type Outcome,
  repeated,
} from '../command.js';
import { type Duration, durationOption } from '../duration.js';
import { commandLineModule } from '../own-process.js';
import { readSignedCharter } from './federate-role.js';

interface ServeOptions {
  readonly models: string;
  readonly data?: string;
  readonly reports?: string;
  readonly publicData?: boolean;
  readonly publishedNow?: string;
  readonly pictures?: string;
  readonly host: string;
  readonly port: number;
  readonly tokenFile?: string;
  readonly state?: string;
  readonly ledger?: string;
  readonly hostName?: readonly string[];
  readonly allowOrigin?: readonly string[];
  readonly takePart?: string;
  readonly maxModelAge?: Duration;
}

export function registerServe(program: Command): void {
  addCommand<ServeOptions>(program, {
    usage: 'serve',
    summary: 'serve the page and the HTTP interface: try models, train, compare, certificates, ledger',
    examples: [
      'hushrec serve --models models',
      'hushrec serve --models models --data datasets --reports reports',
      'hushrec serve --models models --take-part day-run/charter.json',
      'hushrec serve --models models --host 0.0.0.0 --token-file tokens.txt',
    ],
    fields: ['url', 'stopped'],
    stopsWithin: 20_000,
    configure: (command) =>
      command
        .option('--models <dir>', 'folder of model folders, or one model folder', 'models')
        .option('--published-now <model>', 'name of the model that the page shows first, as published now')
        .option('--data <dir>', 'folder of data sets; needed to train from the page')
        .option('--reports <dir>', 'folder with results of hushrec compare')
        .option(
          '--public-data',
          'the ratings are public: viewers see models without privacy and comparisons too',
        )
        .option(
          '--pictures <dir>',
          'folder with pictures of titles: column image of --items, /pictures/<file>',
        )
        .option(
          '--host <address>',
          'address to listen on; other than loopback needs --token-file',
          '127.0.0.1',
        )
        .option('--port <number>', 'port; 0 takes any free one', integerOption('port', 0, 65_535), 7717)
        .option('--token-file <file>', 'lines "viewer TOKEN" and "operator TOKEN"')
        .option(
          '--state <place>',
          'SQLite file or postgres:// address for runs (default: beside the models folder)',
        )
        .option(
          '--ledger <place>',
          'SQLite file or postgres:// address (default: one file for all accounts of this user)',
        )
        .option(
          '--max-model-age <time>',
          'answer 503 at /readyz if a model is older, e.g. 8d (whole days; the one of --published-now, or any)',
          durationOption('max-model-age'),
        )
        .option('--host-name <name>', 'host name of this server (repeatable)', repeated)
        .option('--allow-origin <origin>', 'site whose pages may fetch models (repeatable)', repeated)
        .option(
          '--take-part <charter>',
          'charter.json of a federated run for devices: the page invites its visitors to it',
        ),
    run: (_, options, context) => serve(options, context),
  });
}

async function serve(options: ServeOptions, { signal, say }: CommandContext): Promise<Outcome> {
  if (!existsSync(options.models) && options.data === undefined)
    throw new OptionError(
      `--models ${options.models}: there is no such folder. Train a model into it first (\`hushrec train … --out ${options.models}/first\`), or give the folder with your models.`,
    );
  await finishStopped(options, say);
  const { startServer } = await import('@hushrec/server');
  const server = await startServer({
    models: options.models,
    ...(options.data !== undefined && { data: options.data }),
    ...(options.reports !== undefined && { reports: options.reports }),
    publicData: options.publicData === true,
    ...(options.publishedNow !== undefined && { publishedNow: options.publishedNow }),
    ...(options.pictures !== undefined && { pictures: options.pictures }),
    host: options.host,
    port: options.port,
    ...(options.tokenFile !== undefined && { tokenFile: options.tokenFile }),
    ...(options.state !== undefined && { state: options.state }),
    ...(options.ledger !== undefined && { ledger: options.ledger }),
    ...(options.hostName !== undefined && { hostNames: options.hostName }),
    ...(options.allowOrigin !== undefined && { allowedOrigins: options.allowOrigin }),
    ...(options.maxModelAge !== undefined && { maxModelAgeMs: 86_400_000 * options.maxModelAge.days }),
    ...(options.takePart !== undefined && { takePart: await invitation(options.takePart) }),
    commandLine: commandLineModule,
  });
  say(`Serving on ${server.url}`);
  if (server.operatorToken !== undefined)
    say(`To train from the page, open ${server.url}/#token=${server.operatorToken}`);
  say('Stop with Ctrl-C.');
  const stopped = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  const lost = await Promise.race([stopped, server.lost]);
  await server.close();
  if (lost !== undefined) throw lost;
  return { json: { url: server.url, stopped: true }, text: 'Stopped.' };
}

/** What training left that was killed with an earlier server, or ended without its ledger. */
async function finishStopped({ models, ledger: place }: ServeOptions, say: (line: string) => void) {
  const { finishLeftOvers } = await import('@hushrec/train');
  const { ledgerPlace, openLedger } = await import('@hushrec/ledger');
  let opened: Ledger | undefined;
  const ledger = async () => (opened ??= await openLedger(ledgerPlace(place).location));
  try {
    const folder = existsSync(join(models, 'certificate.json')) ? dirname(resolve(models)) : models;
    for (const each of [folder, join(folder, '.held')]) await finishLeftOvers(each, { ledger, say });
  } finally {
    await opened?.close();
  }
}

/**
 * Where visitors find the run of a charter. Only addresses that a page may connect to, as they stand in the
 * charter.
 */
async function invitation(file: string) {
  const { charter } = (await readSignedCharter(file)).signed;
  if (charter.admission.kind === 'parties')
    throw new OptionError(
      `--take-part ${file}: this run is for named parties. Write a charter without --party for devices.`,
    );
  const address = ({ name, url }: { readonly name: string; readonly url: string }) => {
    const { protocol, origin, pathname, search, hash } = new URL(url);
    if (!/^https?:$/.test(protocol) || search !== '' || hash !== '' || /[\s;,'"]/.test(pathname))
      throw new OptionError(
        `--take-part ${file}: ${name} has the address ${url}, which no page can connect to.`,
      );
    return `${origin}${pathname}`;
  };
  const { admission, aggregators } = charter;
  return {
    board: address(charter.coordinator),
    run: charter.run,
    aggregators: aggregators.map(address),
    ...(admission.kind === 'issuer' && { issuer: address(admission.issuer) }),
  };
}
