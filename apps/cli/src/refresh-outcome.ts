import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { type CommandContext, OptionError, type Outcome } from './command.js';
import { exitCodeOf, exitCodes } from './exit-codes.js';
import { writeWhole } from './whole-file.js';

/** How a refresh ended, in words that hold nothing about anyone. */
export type RefreshEnd = 'done' | 'nothing-new' | 'held-back' | 'refused' | 'failed';

interface Watched {
  readonly account: string;
  readonly model: string;
  /** A command of the shell, or an https:// address. */
  readonly onFailure?: string;
}

/**
 * Runs a refresh, counts how it ended in a file beside the model (`hushrec serve` gives the counts to
 * monitors), and calls for help where there is no new model. A call that fails changes nothing but is said.
 */
export async function watchedRefresh(
  watched: Watched,
  context: CommandContext,
  refresh: () => Promise<Outcome>,
): Promise<Outcome> {
  if (watched.onFailure !== undefined) checkCall(watched.onFailure);
  const ended = async (end: RefreshEnd, exitCode: number) => {
    await countEnd(watched.model, end).catch((error: Error) =>
      context.say(`How this refresh ended could not be noted for monitors: ${error.message}`),
    );
    if (end === 'done' || end === 'nothing-new' || watched.onFailure === undefined) return;
    await call(watched.onFailure, { ...watched, end, exitCode }).catch((error: Error) =>
      context.say(`--on-failure did not work: ${error.message}`),
    );
  };
  try {
    const outcome = await refresh();
    const code = outcome.exitCode ?? exitCodes.done;
    const isNew = (outcome.json as { readonly trained?: boolean }).trained === true;
    await ended(code === exitCodes.heldBack ? 'held-back' : isNew ? 'done' : 'nothing-new', code);
    return outcome;
  } catch (error) {
    const code = exitCodeOf(error);
    if (code !== exitCodes.interrupted)
      await ended(code === exitCodes.privacyRefused ? 'refused' : 'failed', code);
    throw error;
  }
}

/** Adds one to the count of such ends, and remembers the last. */
async function countEnd(model: string, end: RefreshEnd): Promise<void> {
  const { readRefreshCounts, refreshCountsFile } = await import('@hushrec/train');
  const file = refreshCountsFile(model);
  if (!existsSync(dirname(file))) return;
  const { ends } = (await readRefreshCounts(model)) ?? { ends: {} };
  const counted = {
    ends: { ...ends, [end]: (ends[end] ?? 0) + 1 },
    last: { end, at: new Date().toISOString() },
  };
  await writeWhole(file, `${JSON.stringify(counted)}\n`, 0o600);
}

const isAddress = (text: string) => /^https?:\/\//i.test(text);
const loopback = ['localhost', '127.0.0.1', '[::1]'];

function checkCall(onFailure: string): void {
  if (!isAddress(onFailure)) return;
  const { protocol, hostname } = new URL(onFailure);
  if (protocol !== 'https:' && !loopback.includes(hostname))
    throw new OptionError(`--on-failure ${onFailure}: give an https:// address, or a command.`);
}

const answersWithinMs = 15_000;
const endsWithinMs = 60_000;

/**
 * Tells that there is no new model: which account and model, how it ended, and nothing else. The message of
 * an error may name people or count them, so that it stays at the terminal.
 */
async function call(
  onFailure: string,
  { account, model, end, exitCode }: Watched & { readonly end: RefreshEnd; readonly exitCode: number },
): Promise<void> {
  const told = { account: basename(account), model: basename(resolve(model)), outcome: end, exitCode };
  if (isAddress(onFailure)) {
    const answer = await fetch(onFailure, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ event: 'hushrec-refresh', ...told, at: new Date().toISOString() }),
      redirect: 'error',
      signal: AbortSignal.timeout(answersWithinMs),
    });
    if (!answer.ok) throw new Error(`the address answered ${answer.status}.`);
    return;
  }
  const env = {
    ...process.env,
    HUSHREC_OUTCOME: told.outcome,
    HUSHREC_EXIT_CODE: String(told.exitCode),
    HUSHREC_ACCOUNT: told.account,
    HUSHREC_MODEL: told.model,
  };
  // What it prints goes to standard error: standard output is the command's own.
  const child = spawn(onFailure, { shell: true, env, stdio: ['ignore', 2, 2], timeout: endsWithinMs });
  await new Promise<void>((done, failed) => {
    child.on('error', failed);
    child.on('exit', (code) => (code === 0 ? done() : failed(new Error(`the command ended with ${code}.`))));
  });
}
