import { csrFromTriples } from '@hushrec/numerics';
import type { RatingMatrix } from '@hushrec/ratings';

/** What people chose before a time, and since; the same people by rows. */
export interface ChoicesSince {
  readonly before: RatingMatrix;
  readonly since: RatingMatrix;
}

/**
 * Divides everyone's ratings at a time, in the items of a model. Each person's part depends on that person
 * alone. O(ratings).
 *
 * @param columns index in the model of each item of the ratings; undefined where the model does not know it
 * @param since seconds since 1970; ratings at that moment are new
 * @throws RangeError where ratings have no times
 */
export function choicesSince(
  ratings: RatingMatrix,
  { columns, itemCount }: { readonly columns: readonly (number | undefined)[]; readonly itemCount: number },
  since: number,
): ChoicesSince {
  const { byUser, times, scale, userCount } = ratings;
  if (times === undefined) throw new RangeError('These ratings have no times.');
  const part = (isIn: (time: number) => boolean): RatingMatrix => {
    const [rows, kept, values]: [number[], number[], number[]] = [[], [], []];
    for (let user = 0; user < userCount; user++) {
      for (let at = byUser.offsets[user]; at < byUser.offsets[user + 1]; at++) {
        const column = columns[byUser.indices[at]];
        if (column === undefined || !isIn(times[at])) continue;
        rows.push(user);
        kept.push(column);
        values.push(byUser.values[at]);
      }
    }
    return { userCount, itemCount, scale, byUser: csrFromTriples(userCount, itemCount, rows, kept, values) };
  };
  return { before: part((time) => time < since), since: part((time) => time >= since) };
}
