import { sharedFloat32, sharedUint32 } from '@hushrec/numerics';
import type { FeatureSource } from '../rating-matrix.js';
import type { SeededRandom } from '../seeded-random.js';
import { inventNames } from './invented-names.js';

const genres = [
  'Adventure',
  'Biography',
  'Comedy',
  'Crime',
  'Documentary',
  'Drama',
  'Family',
  'Fantasy',
  'History',
  'Horror',
  'Music',
  'Mystery',
  'Romance',
  'Science',
  'Suspense',
  'Travel',
];
const eras = ['1960s', '1970s', '1980s', '1990s', '2000s', '2010s', '2020s'];
const regions = ['Coast', 'Highlands', 'Islands', 'Lowlands', 'North', 'Old Town', 'Plains', 'South'];

/** Items of a synthetic catalogue: their hidden taste and what is public about them. */
export interface CatalogueItems {
  /** items × rank, row-major: where an item lies in the space of tastes; entries have variance about 1. */
  readonly taste: Float64Array;
  readonly features: FeatureSource;
}

/**
 * Items whose public fields say something true about their taste vector: genres and the maker each have a
 * place in taste space and the item lies near theirs (together they explain about two thirds of its
 * variance); the era follows the first coordinate; the region tells almost nothing, as some real fields do.
 */
export function catalogueItems(items: number, rank: number, random: SeededRandom): CatalogueItems {
  const genrePlace = normals(genres.length * rank, random);
  const makers = inventNames(Math.max(2, Math.round(items / 12)), random);
  const makerGenre = makers.map(() => random.below(genres.length));
  const makerPlace = normals(makers.length * rank, random);
  const taste = new Float64Array(items * rank);
  const genresOf: number[][] = [];
  const makerOf: number[][] = [];
  const eraOf: number[][] = [];
  const regionOf: number[][] = [];
  for (let item = 0; item < items; item++) {
    const maker = Math.floor(makers.length * random.uniform() ** 1.5);
    const own = [makerGenre[maker]];
    while (own.length < 3 && random.uniform() < 0.45) own.push(random.below(genres.length));
    const distinct = [...new Set(own)].sort((a, b) => a - b);
    for (let f = 0; f < rank; f++) {
      let genrePart = 0;
      for (const genre of distinct) genrePart += genrePlace[genre * rank + f];
      genrePart /= Math.sqrt(distinct.length);
      taste[item * rank + f] =
        Math.sqrt(0.4) * genrePart +
        Math.sqrt(0.25) * makerPlace[maker * rank + f] +
        Math.sqrt(0.35) * random.normal();
    }
    const late = 0.5 + 0.18 * taste[item * rank] + 0.15 * random.normal();
    genresOf.push(distinct);
    makerOf.push([maker]);
    eraOf.push([Math.max(0, Math.min(eras.length - 1, Math.floor(late * eras.length)))]);
    regionOf.push([random.below(regions.length)]);
  }
  const fields = [
    { name: 'genre', tokens: genres, byItem: tokensByItem(genresOf, genres.length) },
    { name: 'maker', tokens: makers, byItem: tokensByItem(makerOf, makers.length) },
    { name: 'era', tokens: eras, byItem: tokensByItem(eraOf, eras.length) },
    { name: 'region', tokens: regions, byItem: tokensByItem(regionOf, regions.length) },
  ];
  return { taste, features: { kind: 'categorical', name: 'catalogue', fields } };
}

function normals(length: number, random: SeededRandom): Float64Array {
  return Float64Array.from({ length }, () => random.normal());
}

/** Bags of tokens with weight 1, ascending per item. */
export function tokensByItem(tokens: readonly (readonly number[])[], tokenCount: number) {
  const offsets = sharedUint32(tokens.length + 1);
  tokens.forEach((own, item) => {
    offsets[item + 1] = offsets[item] + own.length;
  });
  const indices = sharedUint32(offsets[tokens.length]);
  indices.set(tokens.flat());
  return {
    rowCount: tokens.length,
    columnCount: tokenCount,
    offsets,
    indices,
    values: sharedFloat32(indices.length).fill(1),
  };
}
