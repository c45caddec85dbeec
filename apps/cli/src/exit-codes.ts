import { systemErrorWords } from './system-error.js';

/** Exit codes of every command. Never reused for another meaning. */
export const exitCodes = {
  done: 0,
  failed: 1,
  wrongUsage: 2,
  badData: 3,
  privacyRefused: 4,
  /** The work was done and paid for, and a gate kept its result from going live (`refresh --publish-if`). */
  heldBack: 5,
  /** Ctrl-C, as shells expect it (128 + SIGINT). */
  interrupted: 130,
} as const;

/** A failure a command wants to report with a particular exit code. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;
  constructor(exitCode: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/**
 * What an error says about itself in its field `kind`: who must act. Errors without one are failures of
 * the machine or of the program.
 */
export type ErrorKind = 'usage' | 'data' | 'privacy';

const codeOfKind: Readonly<Record<ErrorKind, number>> = {
  usage: exitCodes.wrongUsage,
  data: exitCodes.badData,
  privacy: exitCodes.privacyRefused,
};

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommandError) return error.exitCode;
  if (!(error instanceof Error)) return exitCodes.failed;
  if (error.name === 'AbortError') return exitCodes.interrupted;
  const { kind } = error as { kind?: unknown };
  return typeof kind === 'string' && Object.hasOwn(codeOfKind, kind)
    ? codeOfKind[kind as ErrorKind]
    : systemErrorWords(error)?.isInput
      ? exitCodes.badData
      : exitCodes.failed;
}

export const exitCodeHelp = `
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 bad data, 4 privacy refused (budget exceeded, guarantee not
provable, ledger locked), 5 trained but held back (refresh --publish-if), 130 interrupted.`;
