// @public: kept by every release (docs/policy.md), except what stands under @beta.
// The library: what `import … from 'hushrec'` gives. The command line is main.ts.

export { SettingsError, UnknownMethodError } from '@hushrec/factorize';
export {
  type Balance,
  BudgetExceededError,
  Ledger,
  LedgerCorruptError,
  type LedgerEntry,
  LedgerLockedError,
  LedgerLostError,
  type LedgerOptions,
  LedgerUnavailableError,
  SpendRefusedError,
} from '@hushrec/ledger';
export {
  type Certificate,
  CorruptModelError,
  type ModelManifest,
  type PublishedModel,
  type Verification,
  type VerificationCheck,
  type VerificationOptions,
} from '@hushrec/model';
export { readModelFolder } from '@hushrec/model/folder';
export {
  BadDataError,
  type BadRow,
  DatasetWriteError,
  ImportOptionError,
  type RatingScale,
} from '@hushrec/ratings';
export {
  type HistoryEntry,
  HistoryError,
  type ItemChoice,
  NoLikenessError,
  type Recommendation,
  type Recommendations,
  Recommender,
  type RecommendOptions,
  type SimilarItem,
  type SimilarItems,
  type SimilarOptions,
  UnknownItemError,
} from '@hushrec/recommend';
export {
  type TrainedAndPublished,
  TrainingFailedError,
  type TrainingStep,
} from '@hushrec/train';
export { type ImportedRatings, type ImportRatingsOptions, importRatings } from './library/import-ratings.js';
export { ledgerOf } from './library/ledger-of.js';
export { openLedger } from './library/open-ledger.js';
export { openModel, recommend, similar } from './library/recommend.js';
export { type RecommendAllOptions, recommendAll } from './library/recommend-all.js';
export { type TrainOptions, train } from './library/train.js';
export { verify } from './library/verify.js';
export type { ListsReport } from './lists/lists-report.js';

// @beta: may change with any minor version. Plans before a charge.

export type { Announcement, RunIntent } from '@hushrec/train';
export { plan } from './library/train.js';
