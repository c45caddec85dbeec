export type { BlockManifest } from './blocks/manifest.js';
export * from './cluster-dataset.js';
export { readSparkAddress } from './connect/spark-address.js';
export { fetchPeople } from './fetch-people.js';
export { checkBlocks, prepareBlocks } from './prepare-blocks.js';
export { SparkConnection, UnfitClusterError } from './spark-connection.js';
export { SparkPeople } from './spark-people.js';
export { readSparkSource, sourceName } from './spark-source.js';
export { parquetFiles } from './statements.js';
