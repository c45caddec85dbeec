export * from './bad-data-error.js';
export { contentDigest } from './content-digest.js';
export * from './dataset-content.js';
export { accountIn, type DatasetAccount, isAccount, newAccount } from './dataset-folder/account.js';
export { contentHash } from './dataset-folder/content-hash.js';
export { inPresentWords } from './dataset-folder/earlier-manifest.js';
export {
  type OpenOptions,
  openDataset,
  readAllButRatings,
  readManifest,
  readUserIds,
} from './dataset-folder/open-dataset.js';
export { openPeople, type PeopleOnDisk, type PeopleOptions } from './dataset-folder/open-people.js';
export { checkTarget, DatasetWriteError } from './dataset-folder/partial-folder.js';
export { sealedManifest } from './dataset-folder/sealed-manifest.js';
export type { TableColumn } from './dataset-folder/table-column.js';
export { type DatasetFolderOptions, writeDataset } from './dataset-folder/write-dataset.js';
export type { DoubtfulIds } from './doubtful-ids.js';
export * from './durable-files.js';
export { exportCsv, shortest } from './export-csv.js';
export { readCatalogue } from './features/catalogue-file.js';
export type { FeatureReport } from './features/feature-report.js';
export { type FeatureOptions, importFeatures } from './features/import-features.js';
export { type ItemTable, readItemTable } from './features/item-table.js';
export { itemsWhere } from './features/items-where.js';
export { type NearestOptions, nearestItems } from './features/nearest-items.js';
export { forgetPeople, forgottenFileOf, readForgotten, removeBefore } from './forgotten-people.js';
export type * from './formats/rating-format.js';
export * from './formats.js';
export { AliasTable } from './generate/alias-table.js';
export { type CatalogueRecipe, generateCatalogue } from './generate/catalogue.js';
export { generateClassics, mostClassics } from './generate/classics.js';
export * from './generate/dpals.js';
export { sortIds } from './id-order.js';
export * from './import-source.js';
export * from './liked-items.js';
export * from './published-items.js';
export * from './rating-matrix.js';
export * from './rating-scale.js';
export * from './rating-triples.js';
export { type Histories, type HistoryOptions, readHistories } from './read-histories.js';
export { openRowOutput, type RowOutput, type RowOutputOptions } from './row-output.js';
export * from './seeded-random.js';
export * from './select-ratings.js';
export * from './select-users.js';
export * from './shared-ratings.js';
export { sourceFingerprint } from './source-fingerprint.js';
export { collectRows } from './sources/collect-rows.js';
export { readFirstLines } from './sources/delimited-layout.js';
export { type EventChoice, type EventReport, parseEvents } from './sources/event-filter.js';
export { type NamedColumns, namedColumns } from './sources/named-columns.js';
export { onlyFile } from './sources/only-file.js';
export type { SourceOptions } from './sources/read-source.js';
export { RowCollector } from './sources/row-collector.js';
export { refuseVersionedTable, versionedTableError } from './sources/versioned-table.js';
export * from './splits/candidate-file.js';
export * from './splits/held-out-file.js';
export * from './splits/holdout.js';
export * from './splits/k-fold.js';
export * from './splits/leave-one-out.js';
export * from './splits/popularity-buckets.js';
export type { SplitRecord } from './splits/split-record.js';
export { type NamedRatings, numbered } from './splits/split-values.js';
export * from './splits/strong-generalization.js';
