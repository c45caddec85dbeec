// @internal: for the packages beside this one, not an interface (docs/policy.md).

export type { BlockManifest } from './blocks/manifest.js';
export {
  type ClusterImported,
  type ClusterPlace,
  clusterIdentity,
  clusterPlace,
  importOnCluster,
  isUnchanged,
} from './cluster-dataset.js';
export { readSparkAddress } from './connect/spark-address.js';
export { fetchPeople } from './fetch-people.js';
export { readNodeArchive } from './node-archive.js';
export { checkBlocks, prepareBlocks } from './prepare-blocks.js';
export { SparkConnection } from './spark-connection.js';
export { SparkPeople } from './spark-people.js';
export { sourceName } from './spark-source.js';
export { parquetFiles } from './statements.js';
