import type { DatasetContent } from '../dataset-content.js';
import { ratingMatrixFromTriples } from '../rating-triples.js';
import { SeededRandom } from '../seeded-random.js';
import {
  activityCounts,
  type CatalogueRecipe,
  checkSize,
  drawRatings,
  itemBiases,
  popularityWeights,
} from './catalogue.js';
import { tokensByItem } from './catalogue-items.js';
import { type ClassicTitle, classicTitles } from './classics-titles.js';

/** How many titles there are to choose from. */
export const mostClassics = classicTitles.length;

/**
 * How far tastes differ: p_u·q_i, in the units of `generateCatalogue`, has about this standard deviation.
 * There it is 1; here people care more about what they read, and it shows in their lists.
 */
const spreadOfTaste = 2.4;

/**
 * Invented people who rate real titles: books and films that nobody owns any more. Each genre is a direction
 * of taste, and so is the form (book or film); a title lies where its genres are, and a person likes or
 * dislikes each direction by itself. Who likes ghost stories then gets ghost stories. The rest is as in
 * `generateCatalogue`; the best known titles come first and are picked most.
 */
export function generateClassics({ users, items, ratings, seed }: CatalogueRecipe): DatasetContent {
  if (items > mostClassics)
    throw new RangeError(
      `items is ${items}; the recipe knows ${mostClassics} titles. Ask for at most as many.`,
    );
  const titles = classicTitles.slice(0, items);
  const genres = [...new Set(titles.flatMap((title) => title.genres))].sort();
  const rank = genres.length + 1;
  checkSize({ users, items, ratings, seed, rank });
  const random = new SeededRandom(seed);
  const taste = tastes(titles, genres);
  // Flatter than a shop's, so that what most people pick does not hide what one person likes.
  const popularity = popularityWeights(items).map(Math.sqrt);
  const bias = itemBiases(popularity, random);
  const activity = activityCounts(users, items, ratings, random);
  return {
    name: 'classics',
    ratings: ratingMatrixFromTriples(
      drawRatings({ users, items, ratings, rank }, { taste, popularity, bias }, activity, random),
    ),
    userIds: Array.from({ length: users }, (_, user) => String(user + 1)),
    itemIds: titles.map((_, item) => String(item + 1)),
    itemTitles: titles.map(({ title, year }) => `${title} (${year})`),
    features: [featuresOf(titles, genres)],
    provenance: { recipe: 'classics', users, items, ratings, seed },
  };
}

/** Vectors q_i: the first genre counts 1, others 0.8, the form ±0.4; scaled to `spreadOfTaste` on average. */
function tastes(titles: readonly ClassicTitle[], genres: readonly string[]): Float64Array {
  const rank = genres.length + 1;
  const taste = new Float64Array(titles.length * rank);
  for (const [item, title] of titles.entries()) {
    for (const [place, genre] of title.genres.entries())
      taste[item * rank + genres.indexOf(genre)] = place === 0 ? 1 : 0.8;
    taste[item * rank + rank - 1] = title.form === 'Book' ? 0.4 : -0.4;
  }
  // A person's coordinates have variance 1/rank, so p·q has the mean square of q.
  const meanSquare = taste.reduce((sum, each) => sum + each ** 2, 0) / taste.length;
  const scale = spreadOfTaste / Math.sqrt(meanSquare);
  return taste.map((each) => scale * each);
}

function featuresOf(
  titles: readonly ClassicTitle[],
  genres: readonly string[],
): DatasetContent['features'][number] {
  const makers = [...new Set(titles.map(({ maker }) => maker))];
  const forms = ['Book', 'Film'];
  const fields = [
    {
      name: 'genre',
      tokens: genres,
      byItem: tokensByItem(
        titles.map((title) => title.genres.map((genre) => genres.indexOf(genre)).sort((a, b) => a - b)),
        genres.length,
      ),
    },
    {
      name: 'maker',
      tokens: makers,
      byItem: tokensByItem(
        titles.map(({ maker }) => [makers.indexOf(maker)]),
        makers.length,
      ),
    },
    {
      name: 'form',
      tokens: forms,
      byItem: tokensByItem(
        titles.map(({ form }) => [forms.indexOf(form)]),
        forms.length,
      ),
    },
  ];
  return { kind: 'categorical', name: 'classics', fields };
}
