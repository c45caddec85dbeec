// What a page needs to take part in a run: no file system, no server, no importers.
export { createEngine } from '@hushrec/numerics';
export type { Card } from './card.js';
export type { Charter } from './charter.js';
export type { CharterFact } from './charter-words.js';
export { type Charged, chargedRuns } from './contributor-record.js';
export { type DurableFolder, MemoryFolder } from './durable-folder.js';
export * from './federation-errors.js';
export { fetchClient } from './http/fetch-client.js';
export { IndexedDbFolder } from './indexed-db-folder.js';
export { openRun, type RatedItem, type RunAtHand } from './open-run.js';
export type { TookPart } from './take-part.js';
export type { SentShare } from './visits.js';
