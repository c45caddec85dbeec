import { dirname } from 'node:path';
import type { FeatureSource } from '../rating-matrix.js';
import { readMovieLensItems } from '../sources/movielens-items.js';
import { listSourceFiles } from '../sources/source-file.js';
import { CategoricalFieldBuilder } from './categorical-field.js';
import { type FeatureReport, reportOf } from './feature-report.js';

/** Genres from a MovieLens item file (`u.item` with `u.genre` beside it, `movies.dat`, `movies.csv`). */
export async function readMovieLensGenres(
  path: string,
  name: string,
  index: ReadonlyMap<string, number>,
): Promise<{ readonly source: FeatureSource; readonly report: FeatureReport }> {
  const movies = await readMovieLensItems(
    (await listSourceFiles(dirname(path))).filter((file) => file.name === name || file.name === 'u.genre'),
  );
  const genre = new CategoricalFieldBuilder();
  const present = new Uint8Array(index.size);
  let unknownRows = 0;
  for (const [id, { genres }] of movies) {
    const item = index.get(id);
    if (item === undefined) {
      unknownRows++;
      continue;
    }
    for (const token of genres) genre.add(item, token);
    if (genres.length > 0) present[item] = 1;
  }
  const source: FeatureSource = { kind: 'categorical', name, fields: [genre.finish('genre', index.size)] };
  return { source, report: reportOf(present, unknownRows) };
}
