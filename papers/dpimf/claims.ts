import { type Claim, claimsOf } from '../harness/claim.js';

const claim = claimsOf('Ran et al. 2024 (DPIMF)');

/** In the order of its pages. */
export const dpimfClaims: readonly Claim[] = [
  claim(
    'Figure 5',
    'noise falls and hits rise from strawman to optimal, item profiles',
    'dpimf/figure5',
    /second-order|optimal variant is best| < /,
    'noise, then gains in HR@10, then number of ε',
  ),
  claim(
    'Figure 6',
    'its weights are close to those with the least variance',
    'dpimf/figure6',
    /weight/,
    'mean distance to them, in logarithms',
  ),
  claim('Figure 7', 'DPIMF beats DPLCF and LDPICF, item profiles', 'dpimf/figure7', /is above DPLCF/),
  claim('Figure 7', 'importance sampling improves it', 'dpimf/figure7', /importance sampling improves/),
  claim('Figure 8', 'DPIMF beats DPLCF and LDPICF, user profiles', 'dpimf/figure8', /is above DPLCF/),
  claim('§VI-A', '100 rounds of 20 passes are best', 'dpimf/passes', /beat 3 × 1/),
  ...(
    [
      ['III', 'table3', 'HR on ML-100K'],
      ['IV', 'table4', 'NDCG on ML-100K'],
      ['V', 'table5', 'HR on YahooMusic'],
      ['VI', 'table6', 'NDCG on YahooMusic'],
      ['VII', 'table7', 'HR on Amazon'],
      ['VIII', 'table8', 'NDCG on Amazon'],
    ] as const
  ).flatMap(([number, id, what]) => [
    claim(`Table ${number}`, `${what}: the printed numbers`, `dpimf/${id}`, /ε printed/, what.split(' ')[0]),
    claim(
      `Table ${number}`,
      `${what}: strawman < complementary < symmetric < optimal`,
      `dpimf/${id}`,
      / < \w+, mean|best at every/,
      `gains in ${what.split(' ')[0]}, then that of the best`,
    ),
  ]),
];
