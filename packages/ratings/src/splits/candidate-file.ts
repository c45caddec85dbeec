import { BadDataError } from '../bad-data-error.js';
import type { Dataset } from '../rating-matrix.js';
import { readLinesInEitherEncoding } from '../sources/line-reader.js';
import { listSourceFiles } from '../sources/source-file.js';

/** A published leave-one-out test: per user the held-out item and the sampled items to rank it against. */
export interface CandidateTest {
  /** By user; −1 for users without a test. */
  readonly target: Int32Array;
  /** Items of user u: `negatives[offsets[u] … offsets[u+1])`, as published, repetitions included. */
  readonly offsets: Uint32Array;
  readonly negatives: Uint32Array;
}

/**
 * Reads the format of the NCF splits (He et al. 2017): `(user,item)<TAB>negative<TAB>…` per line. Numbers
 * there are ranks of first appearance in the ratings file, counted from 0, so the data set must have been
 * imported from that file.
 */
export async function readCandidateFile(path: string, dataset: Dataset): Promise<CandidateTest> {
  const { appearance } = dataset;
  if (appearance === undefined)
    throw new BadDataError(
      { file: path },
      'its numbers refer to the order of rows in the ratings file, which this data set does not know',
      'Import the ratings file the split was made from.',
    );
  const userOfRank = inverse(appearance.users);
  const itemOfRank = inverse(appearance.items);
  const [file] = await listSourceFiles(path);
  const rows = new Map<number, { item: number; negatives: Uint32Array }>();
  const begin = () => {
    rows.clear();
    return {
      onLine(text: string, line: number) {
        const [pair = '', ...rest] = text.trim().split('\t');
        const match = /^\((\d+),\s*(\d+)\)$/.exec(pair);
        const user = match ? userOfRank[Number(match[1])] : undefined;
        const item = match ? itemOfRank[Number(match[2])] : undefined;
        const negatives = rest.map((rank) => (/^\d+$/.test(rank) ? itemOfRank[Number(rank)] : undefined));
        if (user === undefined || item === undefined || negatives.includes(undefined) || rows.has(user))
          throw new BadDataError(
            { file: path, line },
            'it is not (user,item) and item numbers of this data set, one line per user',
            'Check that the split was made from the same ratings file.',
          );
        rows.set(user, { item, negatives: Uint32Array.from(negatives as number[]) });
      },
    };
  };
  await readLinesInEitherEncoding(file, begin);
  const { userCount } = dataset.ratings;
  const target = new Int32Array(userCount).fill(-1);
  const offsets = new Uint32Array(userCount + 1);
  for (const [user, row] of rows) {
    target[user] = row.item;
    offsets[user + 1] = row.negatives.length;
  }
  for (let user = 0; user < userCount; user++) offsets[user + 1] += offsets[user];
  const negatives = new Uint32Array(offsets[userCount]);
  for (const [user, row] of rows) negatives.set(row.negatives, offsets[user]);
  return { target, offsets, negatives };
}

function inverse(rank: Uint32Array): Uint32Array {
  const result = new Uint32Array(rank.length);
  for (let index = 0; index < rank.length; index++) result[rank[index]] = index;
  return result;
}
