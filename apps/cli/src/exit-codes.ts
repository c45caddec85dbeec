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
  NoClipsError: exitCodes.wrongUsage,
  ImportOptionError: exitCodes.wrongUsage,
  OptionError: exitCodes.wrongUsage,
  SigningError: exitCodes.wrongUsage,
  EngineOptionError: exitCodes.wrongUsage,
  NoFeaturesError: exitCodes.wrongUsage,
  PublishedUsersError: exitCodes.wrongUsage,
  UnknownEventError: exitCodes.privacyRefused,
  BadDataError: exitCodes.badData,
  HistoryError: exitCodes.badData,
  DuplicateRatingError: exitCodes.badData,
  CorruptModelError: exitCodes.badData,
  BudgetExceededError: exitCodes.privacyRefused,
  SpendRefusedError: exitCodes.privacyRefused,
  NoGuaranteeError: exitCodes.privacyRefused,
  ReleaseRefusedError: exitCodes.privacyRefused,
  ReleasePlanError: exitCodes.privacyRefused,
  PublicationError: exitCodes.privacyRefused,
  LedgerLockedError: exitCodes.privacyRefused,
  LedgerCorruptError: exitCodes.privacyRefused,
  PlanMismatchError: exitCodes.privacyRefused,
  AbortError: exitCodes.interrupted,
};

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommandError) return error.exitCode;
  return (error instanceof Error && codeOfError[error.name]) || exitCodes.failed;
}

export const exitCodeHelp = `
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 bad data, 4 privacy refused (budget exceeded, guarantee not
provable, ledger locked), 130 interrupted.`;
