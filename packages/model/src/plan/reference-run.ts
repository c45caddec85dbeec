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
  readonly points: readonly { readonly epsilon: number; readonly quality: number }[];
}
