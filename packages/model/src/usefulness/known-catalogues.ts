import type { PopularityShape } from './popularity-shape.js';

/**
 * How unevenly catalogues are used: real data sets as they are, and their likes alone (ratings of 4 or more);
 * and one that `hushrec generate` made up, the most even of them. Shares as `npm run plan:reference` measured
 * them. FilmTrust is left out: a few dozen films that everyone was asked about, and a thousand that hardly
 * anyone knows, are no curve that two shares tell. What is said of a release that is nearly all noise starts
 * from these, and `verify` says it again: a change here needs another name for what was said before.
 */
export const knownCatalogues: readonly (PopularityShape & { readonly name: string })[] = [
  { name: 'MovieLens 1M', headShare: 0.445, tailShare: 0.0763 },
  { name: 'MovieLens 1M, likes', headShare: 0.537, tailShare: 0.0432 },
  { name: 'MovieLens 100K', headShare: 0.429, tailShare: 0.073 },
  { name: 'MovieLens 100K, likes', headShare: 0.52, tailShare: 0.0369 },
  { name: 'Amazon Instant Video', headShare: 0.476, tailShare: 0.154 },
  { name: 'Amazon Instant Video, likes', headShare: 0.496, tailShare: 0.134 },
  { name: 'Amazon Instant Video, all items', headShare: 0.64, tailShare: 0.0958 },
  { name: 'Amazon Instant Video, all items, likes', headShare: 0.685, tailShare: 0.0673 },
  { name: 'Last.fm', headShare: 0.701, tailShare: 0.095 },
  { name: 'generated, 10,000 people', headShare: 0.41, tailShare: 0.183 },
];
