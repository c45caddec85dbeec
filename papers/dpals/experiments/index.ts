import { peopleFeatures } from '../../am-ssp/experiments/people-features.js';
import { publicFeaturesBound } from '../../am-ssp/experiments/public-features-bound.js';
import { samplingWithoutNoise } from '../../am-ssp/experiments/sampling-without-noise.js';
import { sumsOrGradients } from '../../am-ssp/experiments/sums-or-gradients.js';
import { featureSources } from '../../dp-cmf/experiments/feature-sources.js';
import { otherPeople } from '../../dp-cmf/experiments/other-people.js';
import { similarityKinds } from '../../dp-cmf/experiments/similarity-kinds.js';
import { sourcePopularity } from '../../dp-cmf/experiments/source-popularity.js';
import type { Experiment } from '../../harness/experiment.js';
import {
  freshNoise,
  popularitySlices,
  psdProjection,
  resamplings,
  resamplingsLikes,
  samplingStrategies,
} from './ablations.js';
import { costModel } from './cost-model.js';
import { firstDirections, ownSample } from './dpals-pieces.js';
import { frankWolfeLikes } from './frank-wolfe-likes.js';
import { infrequentItems } from './infrequent-items.js';
import { ml10m, ml20mRanking } from './large-sets.js';
import { ml1mRanking } from './ml-1m-ranking.js';
import { ml1mTable } from './ml-1m-table.js';
import { ml10mTwinTable } from './ml-10m-twin.js';
import { publishedAccounting } from './published-accounting.js';
import { skew } from './skew.js';
import { synthetic } from './synthetic.js';
import { timeOverAls } from './time-over-als.js';
import { timeToQuality, timeToRanking } from './time-to-quality.js';
import { topItems } from './top-items.js';

/** Experiments of the three papers on user-level privacy. */
export const userLevelExperiments: readonly Experiment[] = [
  publishedAccounting,
  synthetic,
  ml1mTable,
  ml1mRanking,
  psdProjection,
  samplingStrategies,
  samplingWithoutNoise,
  infrequentItems,
  skew,
  topItems,
  ownSample,
  firstDirections,
  featureSources,
  similarityKinds,
  otherPeople,
  sourcePopularity,
  popularitySlices,
  sumsOrGradients,
  publicFeaturesBound,
  peopleFeatures,
  resamplings,
  resamplingsLikes,
  freshNoise,
  timeToQuality,
  timeToRanking,
  costModel,
  timeOverAls,
  frankWolfeLikes,
  ml10mTwinTable,
  ml10m,
  ml20mRanking,
];
