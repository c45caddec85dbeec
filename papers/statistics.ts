import { registerStatistics } from '@hushrec/statistics';
import { curvatureSums } from './am-ssp/statistics/curvatures.js';
import { itemGradients, movedGramian } from './am-ssp/statistics/item-gradients.js';
import { featureGramian, featureVectors } from './am-ssp/statistics/person-features.js';
import { residualCovariance, rowCovariance } from './dpals/statistics/covariance.js';
import { itemSums, sampledItemSums, subspaceStep, userGramian } from './shared/statistics/item-sums.js';
import { ownMeanSum, sampledCounts } from './shared/statistics/offset-and-counts.js';

// Importing this file makes what the papers' methods ask about people known by name: here, and in the workers
// of a cluster, whose bundle has it (tools/worker-bundle.mjs).
registerStatistics([
  ...[sampledCounts, ownMeanSum, userGramian, featureGramian, featureVectors, itemSums, sampledItemSums],
  ...[subspaceStep, curvatureSums, itemGradients, movedGramian, rowCovariance, residualCovariance],
]);
