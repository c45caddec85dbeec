export { BlockError } from './blocks/block.js';
export { type BlockManifest, ManifestError, manifestIdentity } from './blocks/manifest.js';
export { readSparkAddress, type SparkAddress, SparkAddressError } from './connect/spark-address.js';
export { SparkError } from './connect/spark-errors.js';
export * from './prepare-blocks.js';
export { type ConnectOptions, SparkConnection, UnfitClusterError } from './spark-connection.js';
export { SparkPeople } from './spark-people.js';
export type { SourceColumns } from './statements.js';
