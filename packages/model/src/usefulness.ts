// @beta: how useful a model with so much noise is, and how that is said.

export { knownCatalogues } from './usefulness/known-catalogues.js';
export { type PopularityShape, popularityCurve, usualShape } from './usefulness/popularity-shape.js';
export {
  headPart,
  oneInTwenty,
  type SpreadOfCounts,
  spreadOfCounts,
  standsOutAt,
  step,
  tailPart,
} from './usefulness/spread-of-counts.js';
export {
  isCountsRelease,
  isTooNoisy,
  judge,
  knownWithin,
  type NeededRange,
  type NoiseOverSignal,
  releasedCounts,
  type Usefulness,
  usefulnessOf,
  type Verdict,
  verdictBounds,
} from './usefulness/usefulness.js';
export {
  enoughWords,
  type KnownPeople,
  knownPeople,
  noiseWords,
  usefulnessWords,
  verdictWords,
} from './usefulness/usefulness-words.js';
