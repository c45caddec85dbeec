import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { csrFromTriples } from '@hushrec/numerics';
import type { FeatureSource } from '@hushrec/ratings';
import type { ExperimentContext } from '../../harness/experiment.js';
import { MissingDataError } from '../../harness/real-data.js';

const file = 'movie-features/ml-1m-extrainfos/movies_extrainfos.dat.gz';
/** Columns of the file, separated by `::`. */
const columns = { genre: 5, director: 6, writer: 7, actor: 8 } as const;

/**
 * Public facts about MovieLens films as one categorical source: half-decade, genres, directors, writers,
 * cast. Tokens that only one film has are left out, since they tie nothing together.
 */
export async function movieFeatures(
  context: Pick<ExperimentContext, 'data'>,
  itemIds: readonly string[],
): Promise<FeatureSource> {
  if (context.data === undefined) throw new MissingDataError(file);
  const text = (await promisify(gunzip)(await readFile(join(context.data, file)))).toString('utf8');
  const indexOf = new Map(itemIds.map((id, index) => [id, index]));
  const items = new Map<string, Map<string, Set<number>>>(
    ['year', ...Object.keys(columns)].map((field) => [field, new Map()]),
  );
  const add = (field: string, token: string, item: number) => {
    const name = token
      .replace(/\(.*\)/, '')
      .trim()
      .toLowerCase();
    if (name === '' || name === 'n/a') return;
    const tokens = items.get(field)!;
    tokens.set(name, (tokens.get(name) ?? new Set()).add(item));
  };
  for (const line of text.split('\n')) {
    const parts = line.trim().split('::');
    const item = indexOf.get(parts[0] ?? '');
    if (item === undefined) continue;
    const year = Number(parts[2]?.slice(0, 4));
    if (year > 0) add('year', String(year - (year % 5)), item);
    for (const [field, column] of Object.entries(columns)) {
      for (const token of (parts[column] ?? '').split(',')) add(field, token, item);
    }
  }
  return {
    kind: 'categorical',
    name: 'film facts',
    fields: [...items].map(([name, tokens]) => {
      const shared = [...tokens].filter(([, films]) => films.size > 1);
      const rows = shared.flatMap(([, films]) => [...films]);
      const tokenOf = shared.flatMap(([, films], token) => [...films].map(() => token));
      return {
        name,
        tokens: shared.map(([token]) => token),
        byItem: csrFromTriples(itemIds.length, shared.length, rows, tokenOf),
      };
    }),
  };
}
