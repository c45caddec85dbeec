import { askedHere, because, type Claim, claimsOf } from '../harness/claim.js';

const claim = claimsOf('Chien et al. 2021 (DPALS)');

/** In the order of its pages. */
export const dpalsClaims: readonly Claim[] = [
  because(
    claim(
      'Theorem 1',
      'the printed noise gives the printed ε',
      'dpals/accounting',
      /Theorem 1 for|nominal/,
      'true ε',
    ),
    'cause found',
    'a round releases two sums, and the theorem charges one',
  ),
  claim(
    '§3.2',
    'DPALS costs about as much as ALS',
    'dpals/time',
    /CPU time of dpals/,
    'CPU time over that of ALS',
  ),
  claim('§3.1', 'sampling in A_user can be left out', 'dpals/line-14', /leaving line 14 out helps/),
  claim(
    '§3.1',
    'a random initialization has worked well',
    'dpals/start',
    /a random start above/,
    'share of RMSE above that of the best start',
  ),
  claim(
    'Figure 2',
    'adaptive sampling reduces popularity bias, uniform sampling adds to it',
    'dpals/skew',
    /a person/,
    'share of the ratings that the top 20 % of films have',
  ),
  claim(
    'Figure 3a',
    'DPALS beats Frank–Wolfe by 7–11.6% on the top 400 films',
    'dpals/top-400',
    /as a share of it/,
    'RMSE lower by this share',
  ),
  claim('Figure 3a', 'that gain grows with ε', 'dpals/top-400', /grows with ε/, 'share more'),
  claim(
    'Appendix D.4',
    '23 % of the people suffice to beat Frank–Wolfe',
    'dpals/top-400',
    /23 % of the people/,
  ),
  because(
    claim('Figure 3a', 'private SVD is worse than the global average', 'dpals/top-400', /dp-svd is worse/),
    'cause found',
    'people fit the released directions to their own ratings on their device here',
  ),
  claim(
    'Figure 3b',
    'gap to ALS without privacy, generated twin of ML-10M',
    'user-level/ml-10m-twin',
    /: gap of dpals/,
    'gap in RMSE',
  ),
  claim('Figure 3b', 'DPALS beats Frank–Wolfe on all films', 'user-level/ml-1m', /dpals beats dp-fw/),
  claim(
    'Figure 3c',
    'rankings are comparable to those of ALS without privacy, even at small ε',
    'user-level/ml-1m-ranking',
    /^dpals, .*share of the Recall/,
    'share of the Recall@20 of iALS',
  ),
  claim(
    askedHere,
    'private rankings beat popularity',
    'user-level/ml-1m-ranking',
    /^dpals, .*above popularity/,
  ),
  claim(
    'Figure 4',
    'at least 7 times better than Frank–Wolfe with 50,000 people',
    'dpals/synthetic',
    /over RMSE of DPALS/,
    'RMSE of Frank–Wolfe over that of DPALS',
  ),
  claim(
    'Figure 4',
    'DPALS improves with people and with ε',
    'dpals/synthetic',
    /^DPALS: RMSE falls/,
    'number of ε and number of sizes at which it does',
  ),
  because(
    claim(
      'Figure 4',
      'Frank–Wolfe at ε = 1 is no better than predicting 0',
      'dpals/synthetic',
      /no better than predicting 0/,
      'RMSE of Frank–Wolfe',
    ),
    'cause not found',
    'it reaches 0.77 with 50,000 people, and is no better than 0 with 20,000',
  ),
  claim('Figure 5', 'tail sampling beats uniform sampling', 'dpals/sampling', /tail beats uniform/),
  claim(
    'Figure 5',
    'with uniform sampling, vectors for half of the films are better than for all',
    'dpals/infrequent',
    /uniform sampling: vectors for 50 %/,
  ),
  claim(
    '§6.3',
    'without noise, vectors for all films are best',
    'dpals/without-noise',
    /without noise, vectors for all/,
  ),
  claim(
    '§6.3',
    'sampling 50 ratings of each person costs accuracy without any noise, from 0.785 to 0.812',
    'dpals/without-noise',
    /without noise, every rating/,
  ),
  claim(
    '§6.3',
    'which ratings are sampled matters less without noise',
    'dpals/without-noise',
    /larger with noise/,
    'by how much more',
  ),
  because(
    claim(
      '§6.3',
      'the projection is essential: without it performance is terrible',
      'dpals/psd-projection',
      /worse than item averages/,
    ),
    'cause found',
    'the ridge lies outside the projection and is tuned, so that no system is close to singular',
  ),
  claim(askedHere, 'the projection helps', 'dpals/psd-projection', /projecting helps/),
  because(
    claim(
      askedHere,
      'Frank–Wolfe beats popularity in ranking',
      'dp-fw/likes',
      /at ε = 20 beats popularity/,
      'difference in Recall@20',
    ),
    'cause found',
    'its loss sees likes alone, all of them 1, and popularity’s own direction explains those, with noise or without',
  ),
  claim('Figure 3c', 'order of methods on ML-20M itself', 'user-level/ml-20m-ranking', /beats/),
];
