import { askedHere, because, type Claim, claimsOf } from '../harness/claim.js';

const claim = claimsOf('Friedman et al. 2016');

/** In the order of its pages. */
export const friedmanClaims: readonly Claim[] = [
  claim('Table 3', 'baselines without privacy', 'friedman/table3', /:/, 'RMSE'),
  because(
    claim(
      'Table 4',
      'ε at which each method reaches a baseline, values protected',
      'friedman/table4',
      /reaches/,
      'ε',
    ),
    'cause not found',
    'the paper leaves its shrinkage open and has five rounds of ALS in §5, ten in its appendix; SGD’s curve is almost flat where it meets global effects',
  ),
  claim(
    'Table 4',
    'averages reach the item average first, input perturbation global effects',
    'friedman/table4',
    /first/,
    'ε of the first',
  ),
  claim('Table 4', 'the columns of ML-10M and Netflix', 'friedman/table4-large', /reaches/),
  claim(
    '§5.2',
    'the larger the data, the smaller the ε',
    'friedman/table4',
    /takes a smaller ε/,
    'ε over that of the smaller data',
  ),
  claim(
    'Table 5',
    'ε at which each method reaches a baseline, presence protected',
    'friedman/table5',
    /reaches/,
    'ε',
  ),
  claim(
    askedHere,
    'where an ε of Tables 4, 5 differs, one setting explains it',
    'friedman/crossing-causes',
    /single changes/,
    'number of single changes that do',
  ),
  claim('Figure 2', 'averages win at small ε, input perturbation at large', 'friedman/figure2', /ε/),
  claim(
    'Figure 3a',
    'preprocessing helps',
    'friedman/figure3',
    /preprocessing lowers RMSE \(compared: without preprocessing, same parameters\)/,
  ),
  claim('Figure 3b', 'tight bounds help at small ε, loose ones at large', 'friedman/figure3', /norm bound/),
  claim(
    'Figure 4',
    'averages win at small ε, input perturbation at large, presence protected',
    'friedman/figure4',
    /^at the (?:smallest|largest) ε/,
  ),
  claim(
    '§6.1',
    'protecting presence costs accuracy with every method at every ε',
    'friedman/figure4',
    /protecting presence too/,
  ),
  claim(
    askedHere,
    'input perturbation beats item averages at the size of ML-10M, presence protected (too large for the paper)',
    'friedman/large-input-perturbation',
    /RMSE/,
    'RMSE',
  ),
  claim('Figure 5', 'neighbours win at small ε, factorization at large', 'friedman/figure5', /ε/),
  because(
    claim(
      'Figure 6',
      'λ = 0.08 and d = 3 are best, the RMSE is stable after 7 iterations',
      'friedman/figure6',
      /^als: /,
      'best value of each',
    ),
    'cause not found',
    'ALS still gains 0.006 between 7 and 15 iterations; SGD after the same noise is stable from the first',
  ),
  claim('Table 3', 'the columns of ML-10M and Netflix', 'friedman/table3-large', /:/),
  claim('Table 5', 'the columns of ML-10M and Netflix', 'friedman/table5-large', /reaches/),
];
