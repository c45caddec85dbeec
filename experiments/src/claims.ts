import type { Finding } from './experiment.js';

/** One thing that a paper says about how methods compare, and the findings that decide it. */
export interface Claim {
  readonly paper: string;
  /** Figure, table or section. */
  readonly where: string;
  readonly says: string;
  /** Experiment whose findings decide. */
  readonly experiment: string;
  /** Which of them, by their words. */
  readonly by: RegExp;
  /** What their numbers are, where the findings do not end with it (“gain in rmse”). */
  readonly measures?: string;
}

const dpals = 'Chien et al. 2021 (DPALS)';
const cmf = 'Curmei et al. 2023 (DP-CMF)';
const ssp = 'Krichene et al. 2024 (AM-SSP)';
const friedman = 'Friedman et al. 2016';
const dpimf = 'Ran et al. 2024 (DPIMF)';

/** In place of a page: what the paper leaves open and its readers will ask. */
const askedHere = 'asked here';

const claim = (
  paper: string,
  where: string,
  says: string,
  experiment: string,
  by: RegExp,
  measures?: string,
): Claim => ({ paper, where, says, experiment, by, ...(measures !== undefined && { measures }) });

/** What the five papers say, in the order of their pages. */
export const claims: readonly Claim[] = [
  claim(
    dpals,
    'Theorem 1',
    'the printed noise gives the printed ε',
    'dpals/accounting',
    /Theorem 1 for|nominal/,
    'true ε',
  ),
  claim(
    dpals,
    '§3.2',
    'DPALS costs about as much as ALS',
    'dpals/time',
    /CPU time of dpals/,
    'CPU time over that of ALS',
  ),
  claim(dpals, '§3.1', 'sampling in A_user can be left out', 'dpals/line-14', /leaving line 14 out helps/),
  claim(dpals, '§3.1', 'a random start works well', 'dpals/start', /a random start beats/),
  claim(
    dpals,
    'Figure 2',
    'adaptive sampling reduces popularity bias, uniform sampling adds to it',
    'dpals/skew',
    /a person/,
    'share of the ratings that the top 20 % of films have',
  ),
  claim(
    dpals,
    'Figure 3a',
    'DPALS beats Frank–Wolfe by 7 to 11.6 % on the top 400 films',
    'dpals/top-400',
    /as a share of it/,
    'RMSE lower by this share',
  ),
  claim(dpals, 'Figure 3a', 'that gain grows with ε', 'dpals/top-400', /grows with ε/, 'share more'),
  claim(
    dpals,
    'Appendix D.4',
    '23 % of the people suffice to beat Frank–Wolfe',
    'dpals/top-400',
    /23 % of the people/,
  ),
  claim(
    dpals,
    'Figure 3a',
    'private SVD is worse than the global average',
    'dpals/top-400',
    /dp-svd is worse/,
  ),
  claim(dpals, 'Figure 3b', 'DPALS beats Frank–Wolfe on all films', 'user-level/ml-1m', /dpals beats dp-fw/),
  claim(
    dpals,
    'Figure 3c',
    'private rankings beat popularity',
    'user-level/ml-1m-ranking',
    /^dpals, .*above popularity/,
  ),
  claim(
    dpals,
    'Figure 4',
    'at least 7 times better than Frank–Wolfe with 50,000 people',
    'dpals/synthetic',
    /over RMSE of DPALS/,
    'RMSE of Frank–Wolfe over that of DPALS',
  ),
  claim(
    dpals,
    'Figure 4',
    'DPALS improves with people and with ε',
    'dpals/synthetic',
    /^DPALS: RMSE falls/,
    'number of ε and number of sizes at which it does',
  ),
  claim(
    dpals,
    'Figure 4',
    'Frank–Wolfe at ε = 1 is no better than predicting 0',
    'dpals/synthetic',
    /no better than predicting 0/,
    'RMSE of Frank–Wolfe',
  ),
  claim(dpals, 'Figure 5', 'tail sampling beats uniform sampling', 'dpals/sampling', /tail beats uniform/),
  claim(
    dpals,
    'Figure 5',
    'with uniform sampling, vectors for half of the films are better than for all',
    'dpals/infrequent',
    /uniform sampling: vectors for 50 %/,
  ),
  claim(
    dpals,
    '§6.3',
    'without noise, vectors for all films are best',
    'dpals/without-noise',
    /without noise, vectors for all/,
  ),
  claim(
    dpals,
    '§6.3',
    'sampling 50 ratings of each person costs accuracy without any noise, from 0.785 to 0.812',
    'dpals/without-noise',
    /without noise, every rating/,
  ),
  claim(
    dpals,
    '§6.3',
    'which ratings are sampled matters less without noise',
    'dpals/without-noise',
    /larger with noise/,
    'by how much more',
  ),
  claim(dpals, '§6.3', 'the projection helps', 'dpals/psd-projection', /projecting helps/),
  claim(
    dpals,
    askedHere,
    'Frank–Wolfe beats popularity in ranking',
    'dp-fw/likes',
    /at ε = 20 beats popularity/,
    'difference in Recall@20',
  ),

  claim(dpals, 'Figure 3c', 'order of methods on ML-20M itself', 'user-level/ml-20m-ranking', /beats/),

  claim(
    cmf,
    'Proposition 3.1',
    'the printed weights give the printed ε, one person replaced by another',
    'dpals/accounting',
    /Proposition 3\.1.*replaced/,
    'true ε',
  ),
  claim(
    cmf,
    'Proposition 3.1',
    'the printed weights give the printed ε, one person added or removed',
    'dpals/accounting',
    /Proposition 3\.1.*added/,
    'true ε',
  ),
  claim(
    cmf,
    '§4.2',
    'public sources close up to 60 % of the gap to ALS',
    'dp-cmf/sources',
    /share of the gap/,
    'share of the gap closed',
  ),
  claim(cmf, 'Figure 1a', 'film facts help', 'dp-cmf/sources', /film facts beat no source/),
  claim(cmf, 'Figure 1a', 'public people are the best source', 'dp-cmf/sources', /best single source/),
  claim(cmf, 'Figure 1a', 'sources add up', 'dp-cmf/sources', /all sources together/),
  claim(
    cmf,
    'Figure 1b',
    'on rare items film facts beat public people',
    'dp-cmf/sources',
    /film facts beat public people/,
  ),
  claim(cmf, 'Figure 1b', 'film facts help on rare items', 'user-level/popularity', /film facts gain/),
  claim(
    cmf,
    '§4.2.1',
    'on rare items film facts beat public people of another set',
    'dp-cmf/other-people',
    /facts beat people of another set/,
  ),
  claim(
    cmf,
    'Figure 2',
    'public people lean to popular items, film facts less, similarity least',
    'dp-cmf/popularity-bias',
    /most rated quarter/,
    'share in the most rated quarter of items',
  ),
  claim(cmf, 'Figure 3', 'cast tells most', 'dp-cmf/sources', /cast tells more/),
  claim(cmf, 'Figure 4', 'more similar items are better', 'dp-cmf/similarity', /similar items beat/),
  claim(cmf, 'Figure 4', 'dot product beats cosine', 'dp-cmf/similarity', /dot product beats cosine/),
  claim(cmf, 'Figure 4', 'cosine is better on rare items', 'dp-cmf/similarity', /cosine beats dot product/),
  claim(cmf, 'Figure 5', 'more public people are better', 'dp-cmf/sources', /more public people/),
  claim(
    cmf,
    'Figure 5',
    '1,000 public people are worth as much as film facts',
    'dp-cmf/sources',
    /1,000 public people/,
  ),
  claim(cmf, 'Figure 5', 'ratings as they are beat likes', 'dp-cmf/sources', /as they are beat likes/),

  claim(
    ssp,
    'Theorem 2',
    'the printed noise gives the printed ε, one item update',
    'dpals/accounting',
    /noise of Theorem 2/,
    'true ε',
  ),
  claim(
    ssp,
    'Figure 1',
    'DP-CMF, AM-SSP and AM-DPSGD with features all beat DPALS',
    'user-level/ml-1m',
    /facts beats dpals /,
  ),
  claim(
    ssp,
    'Figure 1',
    'AM-SSP beats DP-CMF, by 0.025 at ε = 1 and 0.012 at ε = 20',
    'am-ssp/against-dpsgd',
    /^ratings.*AM-SSP beats DP-CMF/,
  ),
  claim(ssp, 'Figure 1', 'AM-SSP beats AM-DPSGD', 'am-ssp/against-dpsgd', /^ratings.*AM-SSP beats AM-DPSGD/),
  claim(
    ssp,
    'Figure 2',
    'AM-SSP beats DP-CMF in ranking',
    'am-ssp/against-dpsgd',
    /^likes.*AM-SSP beats DP-CMF/,
  ),
  claim(
    ssp,
    'Figure 2',
    'AM-SSP beats AM-DPSGD in ranking',
    'am-ssp/against-dpsgd',
    /^likes.*AM-SSP beats AM-DPSGD/,
  ),
  claim(ssp, 'Figure 2', 'features help AM-SSP', 'am-ssp/against-dpsgd', /features help AM-SSP/),
  claim(
    ssp,
    'Figure 2',
    'features hurt AM-DPSGD in ranking',
    'am-ssp/against-dpsgd',
    /features hurt AM-DPSGD/,
  ),
  claim(
    ssp,
    'Figure 2',
    'order of all methods in ranking',
    'user-level/ml-1m-ranking',
    / beats (?:dpals|dp-cmf|dp-sgd|am-dpsgd)/,
  ),
  claim(
    ssp,
    'E.1.5',
    'plain DP-SGD at ε = 20 is worse than others at ε = 5',
    'user-level/ml-1m',
    /beats dp-sgd at ε = 20/,
  ),
  claim(
    ssp,
    'E.1.5',
    'in ranking it is worse at ε = 20 than others at ε = 1',
    'user-level/ml-1m-ranking',
    /above dp-sgd at ε = 20/,
  ),
  claim(
    ssp,
    'Theorem 3',
    'excess risk shrinks as √(m/p)',
    'am-ssp/theorem-3',
    /excess risk/,
    'excess risk over that of noisy gradients',
  ),
  claim(
    ssp,
    'Figure 3',
    'AM-SSP is about 100 times faster to the same quality',
    'am-ssp/time-to-quality',
    /CPU time of AM-DPSGD/,
    'CPU time of AM-DPSGD over that of AM-SSP',
  ),
  claim(
    ssp,
    'E.2',
    'about 1,000 times faster in ranking',
    'am-ssp/time-to-ranking',
    /CPU time of AM-DPSGD/,
    'CPU time of AM-DPSGD over that of AM-SSP',
  ),
  claim(
    ssp,
    'Proposition 2',
    'gradients cost people × steps, sums people once',
    'am-ssp/cost',
    /grows|over that of sums/,
    'factor in CPU time',
  ),
  claim(ssp, 'Figure 4', 'one draw of noise beats fresh noise', 'am-ssp/fresh-noise', /SSP-c beats SSP-i/),
  claim(
    ssp,
    'Figure 4',
    'the more often noise is drawn, the worse, most at low ε',
    'am-ssp/resamplings',
    /one draw|worse|gap/,
    'gain of one draw over 16, then steps of three that are worse, then difference of the gains',
  ),
  claim(
    ssp,
    'Figure 8',
    'in ranking too, the more often noise is drawn, the worse, most at low ε',
    'am-ssp/resamplings-likes',
    /one draw|worse|gap/,
    'gain of one draw over 16, then steps of three that are worse, then difference of the gains',
  ),
  claim(
    ssp,
    'Figure 9',
    'AM-SSP and AM-DPSGD are much better on rare items than DPALS',
    'user-level/popularity',
    /better on rare items than dpals/,
  ),
  claim(
    ssp,
    'Figure 9',
    'what they gain over DPALS is larger on rare items than on popular ones',
    'user-level/popularity',
    /larger on the rarest fifth/,
    'difference of the gains in RMSE',
  ),
  claim(
    ssp,
    'Figure 9',
    'AM-SSP is better than AM-DPSGD on popular items',
    'user-level/popularity',
    /better on the head/,
  ),
  claim(
    ssp,
    'Figure 9',
    'AM-SSP is worse than AM-DPSGD on rare items',
    'user-level/popularity',
    /worse on the tail/,
  ),
  claim(ssp, 'Figure 1', 'order of methods on ML-10M itself', 'user-level/ml-10m', /beats/),

  claim(friedman, 'Table 3', 'baselines without privacy', 'friedman/table3', /:/, 'RMSE'),
  claim(
    friedman,
    'Table 4',
    'ε at which each method reaches a baseline, values protected',
    'friedman/table4',
    /reaches/,
    'ε',
  ),
  claim(
    friedman,
    'Table 4',
    'averages reach the item average first, input perturbation global effects',
    'friedman/table4',
    /first/,
    'ε of the first',
  ),
  claim(friedman, 'Table 4', 'the columns of ML-10M and Netflix', 'friedman/table4-large', /reaches/),
  claim(
    friedman,
    '§5.2',
    'the larger the data, the smaller the ε',
    'friedman/table4',
    /takes a smaller ε/,
    'ε over that of the smaller data',
  ),
  claim(
    friedman,
    'Table 5',
    'ε at which each method reaches a baseline, presence protected',
    'friedman/table5',
    /reaches/,
    'ε',
  ),
  claim(
    friedman,
    askedHere,
    'where an ε of Tables 4, 5 differs, one setting explains it',
    'friedman/crossing-causes',
    /single changes/,
    'number of single changes that do',
  ),
  claim(
    friedman,
    'Figure 2',
    'averages win at small ε, input perturbation at large',
    'friedman/figure2',
    /ε/,
  ),
  claim(
    friedman,
    'Figure 3a',
    'preprocessing helps',
    'friedman/figure3',
    /preprocessing lowers RMSE \(compared: without preprocessing, same parameters\)/,
  ),
  claim(
    friedman,
    'Figure 3b',
    'tight bounds help at small ε, loose ones at large',
    'friedman/figure3',
    /norm bound/,
  ),
  claim(
    friedman,
    'Figure 4',
    'averages win at small ε, input perturbation at large, presence protected',
    'friedman/figure4',
    /^at the (?:smallest|largest) ε/,
  ),
  claim(
    friedman,
    '§6.1',
    'protecting presence costs accuracy with every method at every ε',
    'friedman/figure4',
    /protecting presence too/,
  ),
  claim(
    friedman,
    askedHere,
    'input perturbation beats item averages at the size of ML-10M, presence protected (too large for the paper)',
    'friedman/large-input-perturbation',
    /RMSE/,
    'RMSE',
  ),
  claim(friedman, 'Figure 5', 'neighbours win at small ε, factorization at large', 'friedman/figure5', /ε/),
  claim(
    friedman,
    'Figure 6',
    'λ = 0.08 and d = 3 are best, the RMSE is stable after 7 iterations',
    'friedman/figure6',
    /^als: /,
    'best value of each',
  ),
  claim(friedman, 'Table 3', 'the columns of ML-10M and Netflix', 'friedman/table3-large', /:/),
  claim(friedman, 'Table 5', 'the columns of ML-10M and Netflix', 'friedman/table5-large', /reaches/),

  claim(
    dpimf,
    'Figure 5',
    'noise falls and hits rise from strawman to optimal, item profiles',
    'dpimf/figure5',
    /second-order|optimal variant is best| < /,
    'noise, then gains in HR@10, then number of ε',
  ),
  claim(
    dpimf,
    'Figure 6',
    'its weights are close to those with the least variance',
    'dpimf/figure6',
    /weight/,
    'mean distance to them, in logarithms',
  ),
  claim(dpimf, 'Figure 7', 'DPIMF beats DPLCF and LDPICF, item profiles', 'dpimf/figure7', /is above DPLCF/),
  claim(
    dpimf,
    'Figure 7',
    'importance sampling improves it',
    'dpimf/figure7',
    /importance sampling improves/,
  ),
  claim(dpimf, 'Figure 8', 'DPIMF beats DPLCF and LDPICF, user profiles', 'dpimf/figure8', /is above DPLCF/),
  claim(dpimf, '§VI-A', '100 rounds of 20 passes are best', 'dpimf/passes', /beat 3 × 1/),
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
    claim(
      dpimf,
      `Table ${number}`,
      `${what}: the printed numbers`,
      `dpimf/${id}`,
      /ε printed/,
      what.split(' ')[0],
    ),
    claim(
      dpimf,
      `Table ${number}`,
      `${what}: strawman < complementary < symmetric < optimal`,
      `dpimf/${id}`,
      / < \w+, mean|best at every/,
      `gains in ${what.split(' ')[0]}, then that of the best`,
    ),
  ]),
];

/** The findings that decide a claim. */
export function findingsOf({ by }: Claim, findings: readonly Finding[]): Finding[] {
  return findings.filter(({ what, holds }) => holds !== null && by.test(what));
}

/** What the numbers of these findings are; undefined where they have no one name. */
export function measuresOf({ measures }: Claim, findings: readonly Finding[]): string | undefined {
  if (measures !== undefined) return measures;
  const named = new Set(findings.map(({ what }) => /\((gain in [^)]+)\)$/.exec(what)?.[1]));
  return named.size === 1 ? [...named][0] : undefined;
}

/** In words: whether all of them hold, none, or how many. */
export function judged(findings: readonly Finding[]): string {
  const count = (holds: Finding['holds']) => findings.filter((each) => each.holds === holds).length;
  const [yes, no, ties] = [count(true), count(false), count('tie')];
  if (findings.length === 0) return 'reported only';
  if (yes === findings.length) return 'holds';
  if (no === findings.length) return 'does not hold';
  if (ties === findings.length) return 'a tie';
  const parts = [
    [yes, 'holds in'],
    [no, 'does not in'],
    [ties, 'a tie in'],
  ] as const;
  return `${parts
    .filter(([times]) => times > 0)
    .map(([times, words]) => `${words} ${times}`)
    .join(', ')} of ${findings.length}`;
}
