/**
 * Facts about a training run that may be published with its model: each follows from settings and releases
 * alone. They come from the run that saw no data, so that an exact number cannot slip in.
 */
export interface TrainingFacts {
  /** Number of people, as released with noise. */
  readonly people?: number;
  /** Mean squared error that was left after the last round, as released. */
  readonly residualVariance?: number;
  /** Mean rating of the population, as released with noise and shrunk. */
  readonly meanRating?: number;
  /** Directions of taste that the budget was divided for, and that were kept; 0 where vectors did not pay. */
  readonly directions?: number;
  readonly encoderParameters?: number;
  /** Largest eigenvalues of the released matrix. */
  readonly eigenvalues?: readonly number[] | Float64Array;
  /** Steps of Frank–Wolfe: released directions with the strength that was found for each. */
  readonly path?: readonly { readonly direction: Float64Array; readonly strength: number }[];
  /** How many items have neighbours, and how many popularity alone. */
  readonly listedItems?: number;
  readonly itemsWithPopularityAlone?: number;
}
