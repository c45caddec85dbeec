import { type Person, ratingsOf } from '@hushrec/testing';
import type { GridSums } from '../grid-sums.js';
import { protectedSums, zeroSums } from './exact-totals.js';
import type { PersonStatistic } from './people.js';

/** Sums of a statistic that needs no engine and does not wait, over these people. */
export function sumsOf<Published, Names extends string>(
  statistic: PersonStatistic<Published, Names>,
  published: Published,
  people: readonly Person[],
  itemCount: number,
): Record<Names, GridSums> {
  const { byUser: rows } = ratingsOf(people, itemCount);
  const shapes = statistic.shapes(published, itemCount);
  const into = zeroSums(shapes);
  const share = {
    rows,
    first: 0,
    engine: undefined as never,
    keep: <T>(_name: string, _of: object, make: () => T) => make(),
  };
  void statistic.add(share, published, into);
  return protectedSums(statistic.id, shapes, into);
}
