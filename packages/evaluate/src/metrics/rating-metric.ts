/** A metric of predicted ratings: finish(mean over all predicted pairs of loss(prediction − rating)). */
export interface RatingMetric {
  readonly name: string;
  readonly loss: (error: number) => number;
  readonly finish: (mean: number) => number;
}
