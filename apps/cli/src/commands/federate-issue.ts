import { setTimeout } from 'node:timers/promises';
import type { Charter } from '@hushrec/federate';
import type { Command } from 'commander';
import { addCommand, type CommandContext, type Outcome } from '../command.js';
import {
  chartersOption,
  type Identity,
  logLine,
  readIdentity,
  readSignedCharter,
  refuseStaleCertificates,
  runFolder,
  serveRuns,
  stepsNote,
} from './federate-role.js';

interface IssueOptions {
  readonly charter: readonly string[];
  readonly listen?: string;
  readonly json?: boolean;
}

export function registerIssue(group: Command): void {
  addCommand<IssueOptions>(group, {
    usage: 'issue <folder>',
    summary: 'sign tokens for invited devices, until the last window has closed',
    examples: ['hushrec federate issue desk --charter run/charter.json'],
    fields: ['issuer', 'run', 'runs'],
    notes: stepsNote,
    configure: (command) => {
      command
        .addOption(chartersOption())
        .option('--listen <host:port>', 'where to listen (all interfaces, port of its address)');
    },
    run: ([folder], options, context) => signTokens(folder, options, context),
  });
}

/** The office of an issuer that has signed the charter. @throws CharterError where it names another */
export async function openDesk(folder: string, file: string) {
  const { CharterError, checkOwnCard } = await import('@hushrec/federate');
  const { TokenOffice } = await import('@hushrec/federate/node');
  const identity: Identity = await readIdentity(folder);
  const { signed } = await readSignedCharter(file);
  const { admission } = signed.charter;
  if (admission.kind !== 'issuer')
    throw new CharterError('it names no issuer.', 'Write one whose request says "issuer".');
  if (admission.issuer.publicKey !== identity.office.publicKey)
    throw new CharterError(
      `${identity.office.name} is not its issuer.`,
      `That is ${admission.issuer.name}: give its folder.`,
    );
  checkOwnCard(admission.issuer, identity.office);
  const office = await TokenOffice.open(signed, await runFolder(folder, signed.charter));
  return { identity, signed, office };
}

async function signTokens(
  folder: string,
  options: IssueOptions,
  { say, signal }: CommandContext,
): Promise<Outcome> {
  const { tokenRoutes } = await import('@hushrec/federate/node');
  const log = logLine(options.json, say);
  const identity = await readIdentity(folder);
  const { name } = identity.office;
  return serveRuns('issuer', options.charter, identity, { listen: options.listen, log }, async (file) => {
    const { signed, office } = await openDesk(folder, file);
    const { charter } = signed;
    await refuseStaleCertificates(charter);
    return {
      signed,
      routes: tokenRoutes(charter, office),
      mostBytes: 2 ** 20,
      anyOrigin: true,
      untilTheEnd: async () => {
        await lastWindow(charter, signal);
        const { run } = charter;
        return { json: { issuer: name, run }, text: `${name}: the last window of run ${run} has closed.` };
      },
      close: async () => undefined,
    };
  });
}

/** Longest pause of a timer, below 2³¹ milliseconds. */
const LONGEST_PAUSE = 86_400_000;

/** Until the last window has closed. */
async function lastWindow({ pace }: Charter, signal: AbortSignal): Promise<void> {
  const closes = pace.kind === 'windows' ? Date.parse(pace.windows.at(-1)!.closes) : Infinity;
  for (let left = closes - Date.now(); left > 0; left = closes - Date.now())
    await setTimeout(Math.min(LONGEST_PAUSE, left), undefined, { signal }).catch(() =>
      signal.throwIfAborted(),
    );
}
