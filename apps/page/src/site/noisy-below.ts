import { tooNoisyBelow } from '@hushrec/planner';
import type { Comparison } from './server-interface.js';

/**
 * The ε below which a model of these data is too noisy to be personal, by the planner's forecast for `hush`;
 * undefined where nothing is known of the data.
 */
export function noisyBelow(trainedOn: Comparison['trainedOn'], delta: number): number | undefined {
  if (trainedOn === null || !(delta > 0)) return undefined;
  const { people, items, ratings, feedback } = trainedOn;
  return tooNoisyBelow({ people, items, feedback, ratingsPerPerson: Math.max(1, ratings / people) }, delta);
}
