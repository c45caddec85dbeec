import { because, type Claim, claimsOf } from '../harness/claim.js';

const claim = claimsOf('Curmei et al. 2023 (DP-CMF)');

/** In the order of its pages. */
export const dpCmfClaims: readonly Claim[] = [
  because(
    claim(
      'Proposition 3.1',
      'the printed weights give the printed ε, one person replaced by another',
      'dpals/accounting',
      /Proposition 3\.1.*replaced/,
      'true ε',
    ),
    'cause found',
    'its condition is that of adding or removing a person, for which it holds',
  ),
  claim(
    'Proposition 3.1',
    'the printed weights give the printed ε, one person added or removed',
    'dpals/accounting',
    /Proposition 3\.1.*added/,
    'true ε',
  ),
  claim(
    '§4.2',
    'public sources close up to 60 % of the gap to ALS',
    'dp-cmf/sources',
    /share of the gap/,
    'share of the gap closed',
  ),
  claim('Figure 1a', 'film facts help', 'dp-cmf/sources', /film facts beat no source/),
  claim(
    'Figure 1a',
    'film facts help, generated twin of ML-10M',
    'user-level/ml-10m-twin',
    /dp-cmf beats dpals/,
  ),
  claim(
    'Figure 1a',
    'what film facts close of the gap to ALS, generated twin of ML-10M',
    'user-level/ml-10m-twin',
    /that dp-cmf closes/,
    'share of the gap',
  ),
  claim('Figure 1a', 'public people are the best source', 'dp-cmf/sources', /best single source/),
  claim('Figure 1a', 'sources add up', 'dp-cmf/sources', /all sources together/),
  because(
    claim(
      'Figure 1b',
      'on rare items film facts beat public people',
      'dp-cmf/sources',
      /film facts beat public people/,
    ),
    'cause not found',
    'public people of the same data set favour themselves; with those of another film facts win at two of three ε (dp-cmf/other-people)',
  ),
  claim('Figure 1b', 'film facts help on rare items', 'user-level/popularity', /film facts gain/),
  claim(
    '§4.2.1',
    'on rare items film facts beat public people of another set',
    'dp-cmf/other-people',
    /facts beat people of another set/,
  ),
  claim(
    'Figure 2',
    'public people lean to popular items, film facts less, similarity least',
    'dp-cmf/popularity-bias',
    /most rated quarter/,
    'share in the most rated quarter of items',
  ),
  because(
    claim('Figure 3', 'cast tells most', 'dp-cmf/sources', /cast tells more/),
    'not comparable',
    'the cast at hand has at most four actors a film; the paper has 58,139 persons in 55 roles',
  ),
  claim('Figure 4', 'more similar items are better', 'dp-cmf/similarity', /similar items beat/),
  because(
    claim('Figure 4', 'dot product beats cosine', 'dp-cmf/similarity', /dot product beats cosine/),
    'cause not found',
    'cosine has the better mean here; the difference is no larger than chance makes it',
  ),
  claim('Figure 4', 'cosine is better on rare items', 'dp-cmf/similarity', /cosine beats dot product/),
  claim('Figure 5', 'more public people are better', 'dp-cmf/sources', /more public people/),
  claim(
    'Figure 5',
    '1,000 public people are worth as much as film facts',
    'dp-cmf/sources',
    /1,000 public people/,
  ),
  claim('Figure 5', 'ratings as they are beat likes', 'dp-cmf/sources', /as they are beat likes/),
];
