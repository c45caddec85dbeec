import type { Experiment } from '../experiment.js';
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
import { featureSources } from './feature-sources.js';
import { frankWolfeLikes } from './frank-wolfe-likes.js';
import { infrequentItems } from './infrequent-items.js';
import { ml10m, ml20mRanking } from './large-sets.js';
import { ml1mRanking } from './ml-1m-ranking.js';
import { ml1mTable } from './ml-1m-table.js';
import { otherPeople } from './other-people.js';
import { publicFeaturesBound } from './public-features-bound.js';
import { publishedAccounting } from './published-accounting.js';
import { samplingWithoutNoise } from './sampling-without-noise.js';
import { similarityKinds } from './similarity-kinds.js';
import { skew } from './skew.js';
import { sourcePopularity } from './source-popularity.js';
import { sumsOrGradients } from './sums-or-gradients.js';
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
  resamplings,
  resamplingsLikes,
  freshNoise,
  timeToQuality,
  timeToRanking,
  costModel,
  timeOverAls,
  frankWolfeLikes,
  ml10m,
  ml20mRanking,
];
