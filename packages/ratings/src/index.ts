// @internal: for the packages beside this one, not an interface (docs/policy.md).

export { BadDataError, type BadRow, ImportOptionError } from './bad-data-error.js';
export { contentDigest } from './content-digest.js';
export type { DatasetContent } from './dataset-content.js';
export { accountIn, type DatasetAccount, newAccount } from './dataset-folder/account.js';
export { contentHash } from './dataset-folder/content-hash.js';
export {
  openDataset,
  type PublicPart,
  readAllButRatings,
  readManifest,
  readPublicPart,
  readUserIds,
} from './dataset-folder/open-dataset.js';
export { openPeople } from './dataset-folder/open-people.js';
export { checkTarget, DatasetWriteError, privateModes } from './dataset-folder/partial-folder.js';
export type { TableColumn } from './dataset-folder/table-column.js';
export { writeDataset } from './dataset-folder/write-dataset.js';
export {
  disk,
  errorAbout,
  type FileSystem,
  moveFolderIntoPlace,
  partialPathOf,
  replaceFile,
  writeDurably,
} from './durable-files.js';
export { exportCsv, shortest } from './export-csv.js';
export { readCatalogue } from './features/catalogue-file.js';
export { importFeatures } from './features/import-features.js';
export { readItemTable } from './features/item-table.js';
export { itemsWhere } from './features/items-where.js';
export { forgetPeople, forgottenFileOf, readForgotten, removeBefore } from './forgotten-people.js';
export type { FileFormat } from './formats/rating-format.js';
export { fileFormats, type SourceFormat, withoutPassword } from './formats.js';
export { AliasTable } from './generate/alias-table.js';
export { generateCatalogue } from './generate/catalogue.js';
export { generateClassics } from './generate/classics.js';
export { generateDpals } from './generate/dpals.js';
export { sortIds } from './id-order.js';
export { type ImportOptions, type ImportReport, importSource } from './import-source.js';
export { likedFrom, likedItems } from './liked-items.js';
export { publishedItems } from './published-items.js';
export {
  type Dataset,
  type DatasetManifest,
  type FeatureSource,
  type PeopleFacts,
  type RatingMatrix,
  type RatingScale,
  withoutRatings,
} from './rating-matrix.js';
export {
  declaredScale,
  implicitScale,
  isOnScale,
  parseScale,
  type SaidOfScale,
  scaleOf,
} from './rating-scale.js';
export { ratingMatrixFromTriples } from './rating-triples.js';
export { type Histories, type HistoryOptions, readHistories } from './read-histories.js';
export { openRowOutput, type RowOutputOptions } from './row-output.js';
export { SeededRandom } from './seeded-random.js';
export { selectRatings } from './select-ratings.js';
export { selectUsers } from './select-users.js';
export { inSharedMemory } from './shared-ratings.js';
export { sourceFingerprint } from './source-fingerprint.js';
export { collectRows } from './sources/collect-rows.js';
export { readFirstLines } from './sources/delimited-layout.js';
export { type EventChoice, parseEvents } from './sources/event-filter.js';
export { type NamedColumns, namedColumns } from './sources/named-columns.js';
export { onlyFile } from './sources/only-file.js';
export { RowCollector } from './sources/row-collector.js';
export { refuseVersionedTable, versionedTableError } from './sources/versioned-table.js';
export { type CandidateTest, readCandidateFile } from './splits/candidate-file.js';
export { heldOutPeople, readHeldOutFile } from './splits/held-out-file.js';
export { type Holdout, splitHoldout } from './splits/holdout.js';
export { type KFold, splitKFold } from './splits/k-fold.js';
export { splitGivenOne, splitLeaveOneOut } from './splits/leave-one-out.js';
export { type PopularityBuckets, popularityBuckets } from './splits/popularity-buckets.js';
export type { SplitRecord } from './splits/split-record.js';
export { type NamedRatings, numbered } from './splits/split-values.js';
export {
  type HeldOutUsers,
  type StrongGeneralization,
  splitStrongGeneralization,
} from './splits/strong-generalization.js';
