import type { PersonStatistic } from '../people/people.js';
import { clippedShape, signedSteps } from './jointly-clipped.js';

/** What is taken off ratings before levels are compared, and the bound on one person's part. */
export interface LevelQuestion {
  /** Released: what people are shrunk to when the model is used. */
  readonly offset: number;
  /** b_j, released. */
  readonly effects: Float64Array;
  readonly bound: number;
}

/**
 * Σ_i clip(a_i·b_i, ±bound), a_i and b_i the means of every other one of i's ratings less offset and effects:
 * two estimates of her level whose errors have nothing to do with each other, so that their product is on
 * average her level's square. People with a single rating add nothing. Sensitivity `bound`: everyone adds one
 * number between −bound and bound, whatever she rated (replacing a person: 2·bound). O(ratings).
 */
export const levelVariance: PersonStatistic<LevelQuestion, 'squares'> = {
  id: 'level-variance',
  parallel: 'shares',
  shapes: ({ bound }) => ({ squares: clippedShape('bound on a squared level', 1, bound) }),
  add({ rows }, { offset, effects, bound }, { squares }) {
    const { offsets, indices, values } = rows;
    for (let user = 0; user < rows.rowCount; user++) {
      const begin = offsets[user];
      const count = offsets[user + 1] - begin;
      if (count < 2) continue;
      let [one, other] = [0, 0];
      for (let k = 0; k < count; k++) {
        const left = values[begin + k] - offset - effects[indices[begin + k]];
        if (k % 2 === 0) one += left;
        else other += left;
      }
      const half = Math.floor(count / 2);
      squares[0] += signedSteps((one / (count - half)) * (other / half), bound);
    }
  },
};
