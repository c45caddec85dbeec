import { because, type Claim, claimsOf } from '../harness/claim.js';

const claim = claimsOf('Ran et al. 2024 (DPIMF)');

/** The paper does not say what it is for. */
const othersEpsilon =
  'if the ε of the others is for a whole row, DPLCF is at the published height; here it is for one interaction';

/** On Amazon the loss keeps from the printed heights what is not noise. */
const printed = (claim: Claim) =>
  /Amazon/.test(claim.says)
    ? because(
        claim,
        'cause found',
        'this loss, with α₀ = 1, reaches 0.442 without noise; iALS with α₀ = 0.003 reaches 0.663 on the same data',
      )
    : because(
        claim,
        'cause not found',
        'less depends on ε here: above the printed numbers at the smallest, below that of the optimal variant at the largest',
      );

/** In the order of its pages. */
export const dpimfClaims: readonly Claim[] = [
  claim(
    'Figure 5',
    'noise falls and hits rise from strawman to optimal, item profiles',
    'dpimf/figure5',
    /second-order|optimal variant is best| < /,
    'noise, then gains in HR@10, then number of ε',
  ),
  because(
    claim(
      'Figure 6',
      'its weights are very close to those with the least variance',
      'dpimf/figure6',
      /weight/,
      'mean distance to them, in logarithms',
    ),
    'cause not found',
    'closer than uniform weights (0.38), but off by a tenth to a quarter (0.13 and 0.22)',
  ),
  because(
    claim('Figure 7', 'DPIMF beats DPLCF and LDPICF, item profiles', 'dpimf/figure7', /is above DPLCF/),
    'cause found',
    othersEpsilon,
  ),
  claim('Figure 7', 'importance sampling improves it', 'dpimf/figure7', /importance sampling improves/),
  because(
    claim('Figure 8', 'DPIMF beats DPLCF and LDPICF, user profiles', 'dpimf/figure8', /is above DPLCF/),
    'cause found',
    othersEpsilon,
  ),
  because(
    claim('§VI-A', '100 rounds of 20 passes are best', 'dpimf/passes', /beat 3 × 1/),
    'cause found',
    'every pass adds noise at the same ε, so that more passes add more',
  ),
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
    printed(
      claim(
        `Table ${number}`,
        `${what}: the printed numbers`,
        `dpimf/${id}`,
        /ε printed/,
        what.split(' ')[0],
      ),
    ),
    claim(
      `Table ${number}`,
      `${what}: strawman < complementary < symmetric < optimal`,
      `dpimf/${id}`,
      / < \w+, mean|best at every/,
      `gains in ${what.split(' ')[0]}, then that of the best`,
    ),
  ]),
];
