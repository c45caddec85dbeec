import type { SignedCharter } from '@hushrec/federate';
import type { Command } from 'commander';
import { addCommand, type CommandContext, type Outcome } from '../command.js';
import {
  chartersOption,
  type Identity,
  logLine,
  outcomeOfRuns,
  readIdentity,
  readSignedCharter,
  refuseStaleCertificates,
  runFolder,
  type ServedRun,
  serveRole,
  withCharter,
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

async function signTokens(folder: string, options: IssueOptions, context: CommandContext): Promise<Outcome> {
  const { tokenRoutes } = await import('@hushrec/federate/node');
  const log = logLine(options.json, context.say);
  const identity = await readIdentity(folder);
  const runs: ServedRun[] = [];
  for (const file of options.charter)
    await withCharter(file, async () => {
      const { signed, office } = await openDesk(folder, file);
      await refuseStaleCertificates(signed.charter);
      const routes = tokenRoutes(signed.charter, office);
      runs.push({ signed, routes, mostBytes: 2 ** 20, anyOrigin: true });
    });
  const server = await serveRole(runs, identity, { listen: options.listen, log });
  const { name } = identity.office;
  log('listening', { issuer: name, port: server.port });
  try {
    return await outcomeOfRuns(
      runs.map(async ({ signed }) => {
        await untilTheEnd(signed, context.signal);
        const { run } = signed.charter;
        return { json: { issuer: name, run }, text: `${name}: the last window of run ${run} has closed.` };
      }),
    );
  } finally {
    await server.close();
  }
}

/** Longest pause of a timer, below 2³¹ milliseconds. */
const LONGEST_PAUSE = 86_400_000;

/** Until the last window has closed, or the command is stopped. */
async function untilTheEnd({ charter: { pace } }: SignedCharter, signal: AbortSignal): Promise<void> {
  const closes = pace.kind === 'windows' ? Date.parse(pace.windows.at(-1)!.closes) : Infinity;
  while (Date.now() < closes && !signal.aborted)
    await new Promise<void>((resolve) => {
      const stop = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(resolve, Math.min(LONGEST_PAUSE, closes - Date.now()));
      signal.addEventListener('abort', stop, { once: true });
    });
}
