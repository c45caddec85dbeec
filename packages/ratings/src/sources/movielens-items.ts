import { CategoricalFieldBuilder } from '../features/categorical-field.js';
import type { ItemFacts } from '../formats/rating-format.js';
import type { SourceFile } from './source-file.js';
import { splitFields } from './split-fields.js';
import { readWholeText } from './whole-text.js';

/** What a MovieLens item file says about a film. */
export interface MovieLensItem {
  readonly title: string;
  readonly genres: readonly string[];
}

/**
 * Titles and genres by item id, from `u.item` (with `u.genre`), `movies.dat` or `movies.csv`; empty without
 * them.
 */
export async function readMovieLensItems(files: readonly SourceFile[]): Promise<Map<string, MovieLensItem>> {
  const find = (name: string) => files.find((file) => file.name === name);
  const items = new Map<string, MovieLensItem>();
  const bars = find('u.item');
  const colons = find('movies.dat');
  const commas = find('movies.csv');
  if (bars !== undefined) {
    const genreFile = find('u.genre');
    const genres =
      genreFile === undefined ? [] : lines(await readWholeText(genreFile)).map((line) => line.split('|')[0]);
    for (const line of lines(await readWholeText(bars))) {
      const fields = line.split('|');
      const own = genres.filter((_, index) => fields[5 + index] === '1');
      items.set(fields[0], { title: fields[1] ?? '', genres: own });
    }
  } else if (colons !== undefined) {
    for (const line of lines(await readWholeText(colons))) {
      const [id, title = '', genres = ''] = line.split('::');
      items.set(id, { title, genres: genreList(genres) });
    }
  } else if (commas !== undefined) {
    for (const line of lines(await readWholeText(commas)).slice(1)) {
      const [id, title = '', genres = ''] = splitFields(line, ',', true) ?? [''];
      items.set(id, { title, genres: genreList(genres) });
    }
  }
  return items;
}

function lines(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line !== '');
}

function genreList(text: string): string[] {
  return text.split('|').filter((genre) => genre !== '' && genre !== '(no genres listed)');
}

/** Titles, genres as MovieLens lists them, and the decade that titles end with. */
export async function movieFacts(files: readonly SourceFile[]): Promise<ItemFacts> {
  const known = await readMovieLensItems(files);
  return {
    titleOf: (id) => known.get(id)?.title ?? '',
    features(itemIds) {
      if (known.size === 0) return [];
      const genre = new CategoricalFieldBuilder();
      const decade = new CategoricalFieldBuilder();
      itemIds.forEach((id, item) => {
        const movie = known.get(id);
        for (const token of movie?.genres ?? []) genre.add(item, token);
        const years = movie && decadeOf(movie.title);
        if (years !== undefined) decade.add(item, years);
      });
      const fields = [genre.finish('genre', itemIds.length), decade.finish('decade', itemIds.length)];
      return [{ kind: 'categorical', name: 'movielens', fields }];
    },
  };
}

/** The decade in a title's "(1995)", as a token: "1990s". */
function decadeOf(title: string): string | undefined {
  const year = /\((\d{3})\d\)\s*$/.exec(title);
  return year === null ? undefined : `${year[1]}0s`;
}
