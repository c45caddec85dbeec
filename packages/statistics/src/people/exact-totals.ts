import { sensitive } from '@hushrec/privacy';
import type { GridSums } from '../grid-sums.js';
import { SumError, type SumRoom, type SumShape, zerosIn } from './people.js';

/** From here on whole numbers in float64 are not exact. */
const LARGEST = 2 ** 53;

/** Room for the sums of a statistic. */
export function zeroSums<Names extends string>(
  shapes: Readonly<Record<Names, SumShape>>,
  room?: SumRoom,
): Record<Names, Float64Array> {
  const names = Object.keys(shapes) as Names[];
  return Object.fromEntries(names.map((name) => [name, zerosIn(room, name, shapes[name].length)])) as Record<
    Names,
    Float64Array
  >;
}

/** Adds the sums of one share to those of others. */
export function addSums<Names extends string>(
  totals: Readonly<Record<Names, Float64Array>>,
  part: Readonly<Record<Names, Float64Array>>,
): void {
  for (const name of Object.keys(totals) as Names[]) {
    const total = totals[name];
    const own = part[name];
    for (let at = 0; at < total.length; at++) total[at] += own[at];
  }
}

/**
 * Totals behind the door of the mechanisms.
 *
 * @throws SumError where a total reached 2⁵³, where float64 begins to round, or is not a whole number at all
 */
export function protectedSums<Names extends string>(
  statistic: string,
  shapes: Readonly<Record<Names, SumShape>>,
  totals: Readonly<Record<Names, Float64Array>>,
): Record<Names, GridSums> {
  const names = Object.keys(shapes) as Names[];
  return Object.fromEntries(
    names.map((name) => {
      const { sensitivity, gridStep } = shapes[name];
      const total = totals[name];
      for (let at = 0; at < total.length; at++) {
        const value = total[at];
        if (!(value > -LARGEST && value < LARGEST))
          throw new SumError(statistic, `"${name}" reached 2^53 and would not be exact.`);
      }
      return [name, { statistic: sensitive(total, 'l2', sensitivity), gridStep }];
    }),
  ) as Record<Names, GridSums>;
}

/** Sums over nobody, behind the same door. In memory of this thread: nobody's sums are no work for others. */
export function protectedZeros<Names extends string>(
  shapes: Readonly<Record<Names, SumShape>>,
): Record<Names, GridSums> {
  const sums: Partial<Record<Names, GridSums>> = {};
  for (const name of Object.keys(shapes) as Names[]) {
    const { length, sensitivity, gridStep } = shapes[name];
    sums[name] = { statistic: sensitive(new Float64Array(length), 'l2', sensitivity), gridStep };
  }
  return sums as Record<Names, GridSums>;
}
