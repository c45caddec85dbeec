import { type Csr, sharedUint32 } from '@hushrec/numerics';

/** People [begin, end) as rows of their own: entries in place, offsets anew. O(end − begin). */
export function peopleBetween(rows: Csr, begin: number, end: number): Csr {
  if (begin === 0 && end === rows.rowCount) return rows;
  const from = rows.offsets[begin];
  const to = rows.offsets[end];
  const offsets = sharedUint32(end - begin + 1);
  for (let row = begin; row <= end; row++) offsets[row - begin] = rows.offsets[row] - from;
  return {
    rowCount: end - begin,
    columnCount: rows.columnCount,
    offsets,
    indices: rows.indices.subarray(from, to),
    values: rows.values.subarray(from, to),
  };
}

/** Cuts people into at most `count` consecutive groups of about as many entries each. O(people). */
export function evenCuts({ rowCount, offsets }: Csr, count: number): number[] {
  const total = offsets[rowCount] + rowCount;
  const cuts = [0];
  for (let row = 0; row < rowCount; row++) {
    const seen = offsets[row + 1] + row + 1;
    if (seen >= (total * cuts.length) / count && cuts.length < count) cuts.push(row + 1);
  }
  if (cuts.at(-1) !== rowCount) cuts.push(rowCount);
  return cuts;
}

/** Consecutive blocks of people with at most `entries` entries together, or one person with more. */
export function* blocksOfPeople(
  { rowCount, offsets }: Csr,
  entries: number,
): Generator<{ readonly begin: number; readonly end: number }> {
  let begin = 0;
  for (let row = 0; row < rowCount; row++) {
    if (row > begin && offsets[row + 1] - offsets[begin] > entries) {
      yield { begin, end: row };
      begin = row;
    }
  }
  if (begin < rowCount) yield { begin, end: rowCount };
}
