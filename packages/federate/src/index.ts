export * from './admission.js';
export * from './aggregator.js';
export type { NoiseMaking, NoiseSource } from './aggregator-noise.js';
export * from './aggregator-port.js';
export * from './board.js';
export { type Card, fingerprint, isSignedCard, type Office, signCard, type Trusted } from './card.js';
export * from './catalogue.js';
export * from './certify-run.js';
export * from './charter.js';
export * from './charter-words.js';
export * from './contributor-policy.js';
export * from './contributor-record.js';
export { type CoordinatorOptions, coordinateRun } from './coordinate-run.js';
export { type CharterRequest, draftCharter } from './draft-charter.js';
export * from './durable-folder.js';
export * from './exchange-plan.js';
export * from './federation-errors.js';
export { aggregatorRoutes } from './http/aggregator-routes.js';
export { boardRoutes } from './http/board-routes.js';
export { fetchClient } from './http/fetch-client.js';
export * from './http/remote.js';
export {
  type Fetcher,
  severalRuns,
  type WireHandler,
  type WireRequest,
  type WireResponse,
} from './http/wire.js';
export { openRun, type RatedItem, type RunAtHand } from './open-run.js';
export * from './participant.js';
export * from './release-log.js';
export * from './schedule.js';
export {
  forgetSealingKey,
  newSealingKey,
  openSealingKey,
  readSealingKey,
  SEAL_BYTES,
  type SealingKey,
} from './sealed-share.js';
export { type PartyShare, type SharedSide, shareOut } from './share-out.js';
export * from './signatures.js';
export * from './simulate-run.js';
export * from './simulated-secrets.js';
export * from './take-part.js';
export { openTokens, type TokenIssuer } from './tokens.js';
export type { Meeting, SentShare, TakePartOptions } from './visits.js';
