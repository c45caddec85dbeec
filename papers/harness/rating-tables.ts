import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { csrFromTriples } from '@hushrec/numerics';
import {
  type FeatureSource,
  type NamedRatings,
  numbered,
  type RatingScale,
  ratingMatrixFromTriples,
} from '@hushrec/ratings';
import type { ExperimentContext } from './experiment.js';
import { MissingDataError } from './real-data.js';

type Data = Pick<ExperimentContext, 'data'>;

/** Lines of a packed text below the data folder. */
async function linesOf({ data }: Data, path: string): Promise<string[]> {
  const [dataset] = path.split('/');
  if (data === undefined) throw new MissingDataError(dataset);
  const packed = await readFile(join(data, path)).catch(() => {
    throw new MissingDataError(dataset, data);
  });
  const text = (await promisify(gunzip)(packed)).toString('utf8');
  return text.split('\n').filter((line) => line.trim() !== '');
}

/** Rows are people and columns items; `none` stands for what was not rated. */
function ratingsOf(rows: readonly (readonly number[])[], none: number, scale: RatingScale): NamedRatings {
  const users: number[] = [];
  const items: number[] = [];
  const ratings: number[] = [];
  rows.forEach((row, user) => {
    row.forEach((value, item) => {
      if (value === none) return;
      users.push(user);
      items.push(item);
      ratings.push(value);
    });
  });
  const [userCount, itemCount] = [rows.length, rows[0].length];
  return numbered(ratingMatrixFromTriples({ userCount, itemCount, scale, users, items, ratings }));
}

/** Jester 1, part 1: 100 jokes, rated from −10 to 10 by nearly 25,000 people. */
export async function readJester(context: Data): Promise<NamedRatings> {
  const lines = await linesOf(context, 'jester-1/jester-data-1.csv.gz');
  // The first column is the number of jokes that were rated.
  const rows = lines.map((line) => line.split(',').slice(1).map(Number));
  return ratingsOf(rows, 99, { min: -10, max: 10, step: 0.01 });
}

/**
 * Coat: ratings of coats by 290 people, both of coats that they picked and of others that they were shown (of
 * a coat in both the former), what is known of each coat, and what people said about themselves.
 */
export async function readCoat(
  context: Data,
): Promise<NamedRatings & { readonly features: readonly FeatureSource[] }> {
  const table = async (path: string) =>
    (await linesOf(context, path)).map((line) => line.trim().split(/\s+/).map(Number));
  const picked = await table('coat/train.ascii.gz');
  const shown = await table('coat/test.ascii.gz');
  const all = picked.map((row, user) => row.map((value, item) => value || shown[user][item]));
  const facts = await table('coat/item_features.ascii.gz');
  const names = await linesOf(context, 'coat/item_features_map.txt.gz');
  const fields = [...new Set(names.map((name) => name.split(':')[0]))];
  const said = await table('coat/user_features.ascii.gz');
  const saying = said.flatMap((row, user) => row.flatMap((value) => (value === 1 ? [user] : [])));
  const about = {
    names: await linesOf(context, 'coat/user_features_map.txt.gz'),
    byUser: csrFromTriples(
      said.length,
      said[0].length,
      saying,
      said.flatMap((row) => row.flatMap((value, at) => (value === 1 ? [at] : []))),
    ),
  };
  const named = ratingsOf(all, 0, { min: 1, max: 5, step: 1 });
  return {
    ...named,
    ratings: { ...named.ratings, about },
    features: [
      {
        kind: 'categorical',
        name: 'coat facts',
        fields: fields.map((field) => {
          const columns = names.flatMap((name, at) => (name.startsWith(`${field}:`) ? [at] : []));
          const items: number[] = [];
          const tokens: number[] = [];
          facts.forEach((row, item) => {
            columns.forEach((column, token) => {
              if (row[column] !== 1) return;
              items.push(item);
              tokens.push(token);
            });
          });
          return {
            name: field,
            tokens: columns.map((column) => names[column].split(':')[1]),
            byItem: csrFromTriples(facts.length, columns.length, items, tokens),
          };
        }),
      },
    ],
  };
}
