/** Exit codes of every command. Never reused for another meaning. */
export const exitCodes = {
  done: 0,
  failed: 1,
  wrongUsage: 2,
  badData: 3,
  privacyRefused: 4,
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

/** Which exit code an error of a package stands for, by the name of its class. */
const codeOfError: Readonly<Record<string, number>> = {
  SettingsError: exitCodes.wrongUsage,
  PrivacyParameterError: exitCodes.wrongUsage,
  UnknownMethodError: exitCodes.wrongUsage,
  BadDataError: exitCodes.badData,
  CorruptModelError: exitCodes.badData,
  CorruptDatasetError: exitCodes.badData,
  BudgetExceededError: exitCodes.privacyRefused,
  LedgerLockedError: exitCodes.privacyRefused,
  LedgerCorruptError: exitCodes.privacyRefused,
  PlanMismatchError: exitCodes.privacyRefused,
  CalibrationError: exitCodes.privacyRefused,
  UnsupportedEventError: exitCodes.privacyRefused,
  AbortError: exitCodes.interrupted,
};

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommandError) return error.exitCode;
  return (error instanceof Error && codeOfError[error.name]) || exitCodes.failed;
}

export const exitCodeHelp = `
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 bad data, 4 privacy refused (budget exceeded, guarantee not
provable, ledger locked), 130 interrupted.`;
