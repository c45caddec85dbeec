// What a page needs to take part in a run: no file system, no server, no importers.

export { createEngine } from '@hushrec/numerics';
export type { Card } from './card.js';
export { chargedRuns } from './contributor-record.js';
export type { DurableFolder } from './durable-folder.js';
export { UnreachableError } from './federation-errors.js';
export { IndexedDbFolder } from './indexed-db-folder.js';
export { openRun, type RatedItem, type RunAtHand } from './open-run.js';
export type { SentShare } from './visits.js';
