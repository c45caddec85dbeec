/**
 * What was measured on one data set: quality against ε, between what needs nobody's tastes and no privacy at
 * all.
 */
export interface ReferenceRun {
  readonly name: string;
  readonly feedback: 'ratings' | 'likes';
  readonly people: number;
  readonly items: number;
  readonly ratingsPerPerson: number;
  readonly headShare: number;
  readonly tailShare: number;
  readonly delta: number;
  /** Recall@20 of likes (more is better), root mean square error of ratings (less is better). */
  readonly metric: 'recall@20' | 'rmse';
  /** The bestseller list, or one average for everything. */
  readonly baseline: number;
  readonly withoutPrivacy: number;
  /** Runs of each point, with noise and splits of their own; absent where it was one. */
  readonly runs?: number;
  readonly points: readonly ReferencePoint[];
}

/** Quality at an ε: the mean of the runs, the least and the most; these are absent where it was one run. */
export interface ReferencePoint {
  readonly epsilon: number;
  readonly quality: number;
  readonly low?: number;
  readonly high?: number;
}
