import type { Csr } from '@hushrec/numerics';
import { type CoinKeys, PeopleNames } from '@hushrec/privacy';
import type { GridSums } from '../grid-sums.js';
import { protectedSums, zeroSums } from './exact-totals.js';
import type { PersonStatistic } from './people.js';

/** Sums of a statistic that needs no engine and does not wait, over these people. */
export function sumsOf<Published, Names extends string>(
  statistic: PersonStatistic<Published, Names>,
  published: Published,
  rows: Csr,
  ids?: readonly string[],
): Record<Names, GridSums> {
  const shapes = statistic.shapes(published, rows.columnCount);
  const into = zeroSums(shapes);
  const share = {
    rows,
    engine: undefined as never,
    coins: (keys: CoinKeys) => new PeopleNames(rows.rowCount, ids).coins(keys),
    keep: <T>(_name: string, _of: object, make: () => T) => make(),
  };
  void statistic.add(share, published, into);
  return protectedSums(statistic.id, shapes, into);
}
