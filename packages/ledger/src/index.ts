// @internal: for the packages beside this one, not an interface (docs/policy.md).

export { type AccountState, type Grant, isIdle } from './account-state.js';
export type { Balance, ClockAhead, NamedAccount } from './balance.js';
export { type Charge, totalCost } from './charge.js';
export type { LedgerEntry, Protection } from './entry.js';
export { epsilonOfEqualRuns } from './equal-runs.js';
export { type GrantPeriod, startOf } from './grant-period.js';
export { jobKeyOf } from './job-key.js';
export { Ledger } from './ledger.js';
export {
  BudgetExceededError,
  LedgerCorruptError,
  LedgerFormatError,
  LedgerLockedError,
  LedgerLostError,
  LedgerMissingError,
  LedgerUnavailableError,
  SharedPeopleError,
  SpendRefusedError,
  UnprotectedRunError,
} from './ledger-errors.js';
export { readMark } from './ledger-mark.js';
export type { GrantRequest, PeopleElsewhere, Receipt, SharedPeople } from './ledger-requests.js';
export {
  defaultLedgerLocation,
  isPostgres,
  type LedgerOptions,
  ledgerPlace,
  openLedger,
} from './open-ledger.js';
export { sharedLimit } from './people-sketch.js';
export { chargeAgainst } from './protection-change.js';
export { costOf, type PlannedCost } from './run-cost.js';
export { answerWords, callableName, percent } from './shared-people-words.js';
