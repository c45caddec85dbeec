import { type Claim, claimsOf } from '../harness/claim.js';

/** In the order of its pages. */
export const dpCmfClaims: readonly Claim[] = claimsOf('Curmei et al. 2023 (DP-CMF)', [
  {
    where: 'Proposition 3.1',
    quote: 'if the inputs to Algorithm 1 satisfy … then the algorithm is (ε, δ) user-level DP',
    says: 'the printed weights give the printed ε, one person replaced by another',
    experiment: 'dpals/accounting',
    by: /Proposition 3\.1.*replaced/,
    measures: 'true ε',
    rule: 'computed exactly',
    cause: {
      kind: 'cause found',
      why: 'its condition is that of adding or removing a person, for which it holds',
    },
  },
  {
    where: 'Proposition 3.1',
    quote: 'if the inputs to Algorithm 1 satisfy … then the algorithm is (ε, δ) user-level DP',
    says: 'the printed weights give the printed ε, one person added or removed',
    experiment: 'dpals/accounting',
    by: /Proposition 3\.1.*added/,
    measures: 'true ε',
    rule: 'computed exactly',
  },
  {
    where: '§4.2',
    quote:
      'The gap … is largest for high privacy requirements (low ε), with side features closing up to 60% of the performance gap.',
    says: 'public sources close up to 60% of the gap to ALS',
    experiment: 'dp-cmf/sources',
    by: /share of the gap/,
    measures: 'share of the gap closed',
  },
  {
    where: '§4.2, Figure 1a',
    quote:
      'even tangentially related public item data, such as item metadata from Wikidata, substantially improves model quality',
    says: 'film facts help (the sign is judged)',
    experiment: 'dp-cmf/sources',
    by: /film facts beat no source/,
  },
  {
    where: '§4.2, Figure 1a',
    quote:
      'even tangentially related public item data, such as item metadata from Wikidata, substantially improves model quality',
    says: 'film facts help, generated twin of ML-10M',
    experiment: 'user-level/ml-10m-twin',
    by: /dp-cmf beats dpals/,
  },
  {
    where: '§4.2, Figure 1a',
    quote:
      'Incorporating public item information significantly narrows the existing quality gap between private and non-private models.',
    says: 'what film facts close of the gap to ALS, generated twin of ML-10M',
    experiment: 'user-level/ml-10m-twin',
    by: /that dp-cmf closes/,
    measures: 'share of the gap',
  },
  {
    where: '§4.2, Figure 1a',
    quote: 'Public user rating data (red curve) consistently outperforms other sources',
    says: 'public people are the best source',
    experiment: 'dp-cmf/sources',
    by: /best single source/,
  },
  {
    where: '§4.2, Figure 1a',
    quote:
      'the different public item data modalities are composable, leading to compounded accuracy improvements',
    says: 'sources add up',
    experiment: 'dp-cmf/sources',
    by: /all sources together/,
  },
  {
    where: '§4.2.1, Figure 1b',
    quote:
      'for tail items (buckets 2 through 4), the order is reversed, with Wikidata features showing the most improvement for tail items',
    says: 'on rare items film facts beat public people',
    experiment: 'dp-cmf/sources',
    by: /film facts beat public people/,
    cause: {
      kind: 'cause not found',
      why: 'public people of the same data set favour themselves; with those of another film facts win at two of three ε (dp-cmf/other-people)',
    },
  },
  {
    where: '§4.2.1, Figure 1b',
    quote: 'with Wikidata features showing the most improvement for tail items',
    says: 'film facts help on rare items',
    experiment: 'user-level/popularity',
    by: /film facts gain/,
  },
  {
    where: '§4.2.1',
    quote: 'Wikidata outperforms other public data sources on tail items',
    says: 'on rare items film facts beat public people of another set',
    experiment: 'dp-cmf/other-people',
    by: /facts beat people of another set/,
  },
  {
    where: '§4.2.1, Figure 2',
    quote:
      '90% of feature-item observations from ML20M public users correspond to popular items, while only 37% of Wikidata feature matrix entries do so',
    says: 'public people lean to popular items, film facts less, similarity least',
    experiment: 'dp-cmf/popularity-bias',
    by: /most rated quarter/,
    measures: 'share in the most rated quarter of items',
    rule: 'counted; nothing is drawn',
  },
  {
    where: '§4.2.2, Figure 3',
    quote: 'The cast information is the most effective side feature for both head and tail items.',
    says: 'cast tells most',
    experiment: 'dp-cmf/sources',
    by: /cast tells more/,
    cause: {
      kind: 'not comparable',
      why: 'the cast at hand has at most four actors a film; the paper has 58,139 persons in 55 roles',
    },
  },
  {
    where: '§4.2.2, Figure 4',
    quote:
      'the performance improves with the number of similar items for both cosine and inner product similarity scoring',
    says: 'more similar items are better',
    experiment: 'dp-cmf/similarity',
    by: /similar items beat/,
  },
  {
    where: '§4.2.2, Figure 4',
    quote: 'Inner product scores generally outperform cosine similarity scores',
    says: 'dot product beats cosine',
    experiment: 'dp-cmf/similarity',
    by: /dot product beats cosine/,
    cause: {
      kind: 'cause not found',
      why: 'cosine has the better mean here; the difference is no larger than chance makes it',
    },
  },
  {
    where: '§4.2.2, Figure 4',
    quote: 'the comparatively weaker performance of dot product similarities on tail items',
    says: 'cosine is better on rare items',
    experiment: 'dp-cmf/similarity',
    by: /cosine beats dot product/,
  },
  {
    where: '§4.2.2, Figure 5',
    quote:
      'Increasing the number of features (in this case, users with public ratings) significantly enhances model performance.',
    says: 'more public people are better',
    experiment: 'dp-cmf/sources',
    by: /more public people/,
  },
  {
    where: '§4.2.2, Figure 5',
    quote:
      'even modestly sized sources of in-distribution data (s = 1000) yield performance improvements comparable to the best gains achieved through Wiki Metadata',
    says: '1,000 public people are worth at least as much as film facts',
    experiment: 'dp-cmf/sources',
    by: /1,000 public people/,
  },
  {
    where: '§4.2.2, Figure 5',
    quote: 'This improvement is more pronounced when using non-binarized ratings',
    says: 'ratings as they are beat likes',
    experiment: 'dp-cmf/sources',
    by: /as they are beat likes/,
  },
]);
