import { BadDataError } from './bad-data-error.js';
import { indexOfIds } from './join-rows.js';
import type { Dataset, FeatureSource, RatingScale } from './rating-matrix.js';
import type { EncodedRows } from './sources/encoded-rows.js';

/**
 * The rows of a data set followed by new ones, as if one source had held both: of a pair that occurs in both,
 * the rules of `collectRatings` keep the later by time, and without times the new one. O(rows).
 */
export function appendedRows(dataset: Dataset, rows: EncodedRows, source: string): EncodedRows {
  const { ratings, manifest } = dataset;
  if (!sameScale(rows.scale, manifest.scale))
    throw new BadDataError(
      { file: source },
      `its scale is ${scaleText(rows.scale)}, that of the data set ${scaleText(manifest.scale)}`,
      'Append only what is rated on the same scale.',
    );
  if ((rows.times === undefined) !== (ratings.times === undefined))
    throw new BadDataError(
      { file: source },
      rows.times === undefined
        ? 'it has no times, but the data set has'
        : 'it has times, but the data set has none',
      'Append only what has times where the data set has them (--columns names the column).',
    );
  const users = numbering(dataset.userIds, dataset.appearance?.users, rows.userIds);
  const items = numbering(dataset.itemIds, dataset.appearance?.items, rows.itemIds);
  const { byUser, userCount } = ratings;
  const before = byUser.values.length;
  const all = {
    users: new Uint32Array(before + rows.users.length),
    items: new Uint32Array(before + rows.users.length),
    ratings: new Float32Array(before + rows.users.length),
  };
  for (let user = 0; user < userCount; user++)
    all.users.fill(users.ofExisting[user], byUser.offsets[user], byUser.offsets[user + 1]);
  for (let k = 0; k < before; k++) all.items[k] = items.ofExisting[byUser.indices[k]];
  all.ratings.set(byUser.values);
  for (let k = 0; k < rows.users.length; k++) {
    all.users[before + k] = users.ofNew[rows.users[k]];
    all.items[before + k] = items.ofNew[rows.items[k]];
  }
  all.ratings.set(rows.ratings, before);
  const times = ratings.times && rows.times && new Float64Array(before + rows.users.length);
  times?.set(ratings.times!);
  times?.set(rows.times!, before);
  return {
    scale: rows.scale,
    userIds: users.ids,
    itemIds: items.ids,
    ...all,
    ...(times && { times }),
    badRows: rows.badRows,
  };
}

/** Ids of both, those of the data set first and in the order in which they once appeared. */
function numbering(
  existing: readonly string[],
  appearance: Uint32Array | undefined,
  added: readonly string[],
): { readonly ids: string[]; readonly ofExisting: Uint32Array; readonly ofNew: Uint32Array } {
  const ofExisting = appearance ?? Uint32Array.from(existing.keys());
  const ids = new Array<string>(existing.length);
  for (const [at, id] of existing.entries()) ids[ofExisting[at]] = id;
  const codes = new Map(ids.map((id, code) => [id, code]));
  const ofNew = new Uint32Array(added.length);
  for (const [at, id] of added.entries()) {
    let code = codes.get(id);
    if (code === undefined) {
      code = ids.length;
      codes.set(id, code);
      ids.push(id);
    }
    ofNew[at] = code;
  }
  return { ids, ofExisting, ofNew };
}

/** Public features of a data set for a longer list of items; what is new has none. */
export function featuresForItems(
  features: readonly FeatureSource[],
  before: readonly string[],
  itemIds: readonly string[],
): FeatureSource[] {
  const index = indexOfIds(itemIds);
  const newIndex = before.map((id) => index.get(id)!);
  const count = itemIds.length;
  return features.map((source) => {
    switch (source.kind) {
      case 'categorical':
        return {
          ...source,
          fields: source.fields.map((field) => ({
            ...field,
            byItem: movedRows(field.byItem, newIndex, count),
          })),
        };
      case 'similarity':
        return {
          ...source,
          byItem: movedColumns(movedRows(source.byItem, newIndex, count), newIndex, count),
        };
      case 'public-ratings':
        return { ...source, byUser: movedColumns(source.byUser, newIndex, count) };
      default:
        return source satisfies never;
    }
  });
}

type Csr = Dataset['ratings']['byUser'];

function movedRows(rows: Csr, newIndex: readonly number[], rowCount: number): Csr {
  const lengths = new Uint32Array(rowCount);
  for (const [row, to] of newIndex.entries()) lengths[to] = rows.offsets[row + 1] - rows.offsets[row];
  const offsets = new Uint32Array(rowCount + 1);
  for (let row = 0; row < rowCount; row++) offsets[row + 1] = offsets[row] + lengths[row];
  const indices = new Uint32Array(rows.indices.length);
  const values = new Float32Array(rows.values.length);
  for (const [row, to] of newIndex.entries()) {
    const [begin, end] = [rows.offsets[row], rows.offsets[row + 1]];
    indices.set(rows.indices.subarray(begin, end), offsets[to]);
    values.set(rows.values.subarray(begin, end), offsets[to]);
  }
  return { rowCount, columnCount: rows.columnCount, offsets, indices, values };
}

/**
 * Both orders are the same among the columns there were (see `sortIds`), unless ids stopped being numbers:
 * sorted anew.
 */
function movedColumns(rows: Csr, newIndex: readonly number[], columnCount: number): Csr {
  const indices = new Uint32Array(rows.indices.length);
  const values = new Float32Array(rows.values.length);
  for (let row = 0; row < rows.rowCount; row++) {
    const begin = rows.offsets[row];
    const cells = [...rows.indices.subarray(begin, rows.offsets[row + 1])]
      .map((column, at) => ({ column: newIndex[column], value: rows.values[begin + at] }))
      .sort((a, b) => a.column - b.column);
    for (const [at, cell] of cells.entries()) {
      indices[begin + at] = cell.column;
      values[begin + at] = cell.value;
    }
  }
  return { ...rows, columnCount, indices, values };
}

function sameScale(a: RatingScale, b: RatingScale): boolean {
  return a.min === b.min && a.max === b.max && a.step === b.step;
}

function scaleText({ min, max, step }: RatingScale): string {
  return min === max ? 'implicit feedback' : `${min}:${max}:${step}`;
}
