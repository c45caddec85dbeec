/**
 * Numbers of `hush` on ratings that were found on data. They shape plans and what is made of released
 * figures; no sensitivity follows from them. `hush/numbers` varies each of them.
 */
export interface RatingRules {
  /** Shares of μ² for the mean rating and for counts, which say how the rest is divided. */
  readonly meanShare: number;
  readonly firstCounts: number;
  /** Shares of μ² for residual variance, people's mean scaling, and how far levels differ: a number each. */
  readonly varianceShare: number;
  readonly scalingShare: number;
  readonly levelShare: number;
  /** In half-widths of the scale: how far population means are expected from its middle. */
  readonly guessedMean: number;

  /**
   * What is expected of data, in squared half-widths of the scale (`divideBudget`): how far items' effects
   * differ; what the first direction of taste explains, direction k the k-th part of it; the variance of a
   * rating that is left on a scale of several grades.
   */
  readonly effectVariance: number;
  readonly tasteVariance: number;
  readonly usualVariance: number;
  /** n̄ over what released counts tell of it, the square of the mean root: histories differ in length. */
  readonly lengthSpread: number;
  /**
   * Part of the vectors' share that reaches the last item vectors: early rounds are partly for finding
   * directions.
   */
  readonly usefulOfVectors: number;
  /**
   * S·n̄ from which on there are vectors: with few ratings each, or faint items, rounds do not find the
   * directions that V counts on.
   */
  readonly leastTold: number;
  /** Least share of effects beside vectors. */
  readonly effectShareFloor: number;
  /** Directions are the root of S over this, from the first to the last of the next two. */
  readonly strengthPerTaste: number;
  readonly fewestTastes: number;
  readonly mostTastes: number;

  /** Part of the effects' share that their sums get; the rest goes to their weights. */
  readonly sumsOfEffects: number;
  /** Part of the sums' budget for the first of two estimates, where there are no vectors. */
  readonly firstEffects: number;
  /** Pseudo-ratings at zero in a person's level while effects are found. */
  readonly firstLevelRidge: number;
  /** In half-widths of the scale: residual standard deviation before any is released. */
  readonly guessedResidual: number;
  /** Least mean scaling that is believed, and least residual standard deviation, in half-widths. */
  readonly leastScaling: number;
  readonly leastResidual: number;
  /** In half-widths of the scale: how much of a common level is left in ratings. */
  readonly levelLeftIn: number;

  /** Ridge of levels while vectors are learned, in ratings. */
  readonly levelRidge: number;
  /** Residual variance with vectors over that without. */
  readonly varianceLeft: number;
  /**
   * People's scaling makes sampling error smaller than the residual variance says; this stands for its mean.
   */
  readonly meanScaling: number;
  /** In half-widths of the scale: standard deviation of the random first vectors. */
  readonly firstVectors: number;
  /**
   * In half-widths of the scale: least size of a direction, for each round that follows. Early on, when least
   * is known, weak tastes are kept long enough to be seen.
   */
  readonly leastSize: number;
  /**
   * Ridge of a person's level when the finished model is used, in ratings, as far as the released variance of
   * levels is noise; and how uncertain it is, as a part of itself.
   */
  readonly guessedLevelRidge: number;
  readonly levelDoubt: number;
}

/** Those in use. */
export const ratingRules: RatingRules = {
  meanShare: 0.03,
  firstCounts: 0.05,
  varianceShare: 0.004,
  scalingShare: 0.002,
  levelShare: 0.004,
  guessedMean: 0.3,
  effectVariance: 0.05,
  tasteVariance: 0.02,
  usualVariance: 0.2,
  lengthSpread: 1.5,
  usefulOfVectors: 0.6,
  leastTold: 60_000,
  effectShareFloor: 0.2,
  strengthPerTaste: 100,
  fewestTastes: 4,
  mostTastes: 24,
  sumsOfEffects: 0.7,
  firstEffects: 0.3,
  firstLevelRidge: 5,
  guessedResidual: 0.3,
  leastScaling: 0.3,
  leastResidual: 0.2,
  levelLeftIn: 0.05,
  levelRidge: 20,
  varianceLeft: 0.8,
  meanScaling: 0.7,
  firstVectors: 0.5,
  leastSize: 0.01,
  guessedLevelRidge: 3,
  levelDoubt: 0.3,
};
