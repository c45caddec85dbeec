// @internal: for the packages beside this one, not an interface (docs/policy.md).

export { admitted, partyCredentials } from './admission.js';
export { Aggregator, type AggregatorOptions } from './aggregator.js';
export { Board } from './board.js';
export { type Card, isSignedCard, type Office, signCard, type Trusted } from './card.js';
export { type Catalogue, catalogueHash, decodeFeatures, encodeFeatures, inCatalogue } from './catalogue.js';
export { auditLog, federatedStatement } from './certify-run.js';
export {
  type Admission,
  bytesOf,
  type Charter,
  charterHash,
  checkOwnCard,
  mostExchanges,
  noiseOnSum,
  type Pace,
  readCharter,
  type SignedCharter,
  sealingKeys,
  seatOf,
  signCharter,
  signedCharter,
} from './charter.js';
export { charterWords } from './charter-words.js';
export { type ContributorPolicy, checkDeltaAndBytes, checkEpsilon } from './contributor-policy.js';
export { ContributorBudgetError, chargedRuns, chargeRun, openRecord } from './contributor-record.js';
export { type CoordinatorOptions, coordinateRun } from './coordinate-run.js';
export { type CharterRequest, draftCharter } from './draft-charter.js';
export { type DurableFolder, MemoryFolder } from './durable-folder.js';
export type { Schedule } from './exchange-plan.js';
export { CharterError, RunOverError } from './federation-errors.js';
export { aggregatorRoutes } from './http/aggregator-routes.js';
export { boardRoutes } from './http/board-routes.js';
export {
  attemptsWithin,
  patient,
  remoteAggregator,
  remoteCharter,
  remoteLog,
  usualPatience,
} from './http/remote.js';
export { type Fetcher, severalRuns, type WireHandler } from './http/wire.js';
export { openRun } from './open-run.js';
export { checkCharterByDryRun } from './participant.js';
export {
  type AuditedLog,
  asItStands,
  entryHash,
  headerOf,
  type LogReader,
  readEntry,
} from './release-log.js';
export { charteredSchedule, replayRun, scheduleOf } from './schedule.js';
export {
  forgetSealingKey,
  newSealingKey,
  openSealingKey,
  readSealingKey,
  SEAL_BYTES,
  type SealingKey,
  verifyKey,
} from './sealed-share.js';
export { type SharedSide, shareOut } from './share-out.js';
export { addUpWords } from './sharing/sharing.js';
export { fineGrid, lineOf } from './sharing/sharing-line.js';
export { plannedNoise } from './sharing/sharing-noise.js';
export { expandSeed, packWords, unpackWords } from './sharing/sharing-words.js';
export { type SimulatedRun, simulateRun } from './simulate-run.js';
export { simulatedPresence, simulatedSecret } from './simulated-secrets.js';
export { type TookPart, takePart } from './take-part.js';
export { openTokens } from './tokens.js';
export type { Meeting } from './visits.js';
