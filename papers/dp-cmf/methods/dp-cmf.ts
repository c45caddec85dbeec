import type { PublicShape } from '@hushrec/factorize';
import { defineMethod, roundName, within } from '@hushrec/factorize';
import { planDpals, trainDpals } from '../../dpals/methods/dpals.js';
import {
  alternatingSearch,
  dpalsSettings,
  idleDpals,
  signalOverNoise,
  suggestDpals,
} from '../../dpals/methods/dpals-settings.js';
import { sumScale } from '../../shared/contribution-step.js';
import { checkSourceNames, publicSourceSettings } from './public-source-settings.js';
import { publicItemSums, publicMatrices } from './public-sources.js';

const schema = { ...dpalsSettings, ...publicSourceSettings };
/**
 * Private collective matrix factorization, Curmei et al. 2023, Algorithm 1, with its errors repaired (see
 * `dpals`): item vectors explain private ratings and, at the same time, any number of public matrices with
 * items as columns.
 *
 * Public rows f_k are functions of public data and of item vectors already released, and their sums enter the
 * item solve without noise, so the releases and their cost are those of `dpals`. An item that nobody may be
 * counted for (itemFraction) gets its vector from public sources alone.
 */
export const dpCmf = defineMethod({
  id: 'dp-cmf',
  title: 'Private collective matrix factorization',
  paper: 'Curmei et al. 2023, Algorithm 1 (corrected)',
  feedback: ['explicit', 'implicit'],
  protects: [{ unit: 'user', relation: 'add-remove' }],
  settings: schema,
  needs: 'people',
  clips: ['clipNorm', 'targetBound'],
  learnsFrom: ['categorical', 'similarity', 'public-ratings'],
  sameAs: (settings, features) =>
    publicMatrices(features, settings, settings.feedback).length === 0 ? 'dpals' : undefined,
  checkSources: (settings, features) => checkSourceNames(features, settings),
  search: { ...alternatingSearch, tokenWeight: within(8), tokenRidge: within(4) },
  suggest: suggestDpCmf,
  idle: idleDpals,
  plan: (settings, shape) => planDpals(settings, shape),
  train(input) {
    const { engine, features, settings } = input;
    const sources = publicMatrices(features, settings, settings.feedback);
    if (sources.length === 0) return trainDpals(input);
    const last = roundName('item-vectors', settings.rounds - 1, settings.roundGrowth);
    const scale = sumScale(settings, input.recorder, last);
    const intercept =
      settings.intercept && settings.feedback === 'explicit'
        ? { interceptRidge: settings.interceptRidge }
        : {};
    return trainDpals(input, (items, offset) =>
      publicItemSums(engine, sources, items, { offset, ...intercept }, scale),
    );
  },
});

/** As `dpals`, and a weight of tokens that grows with the ratings they stand beside. */
function suggestDpCmf(shape: PublicShape) {
  const suggestion = suggestDpals(shape);
  const signal = signalOverNoise(shape);
  const weight = suggestion.relativeTo === 'noise' && Number.isFinite(signal) ? signal / 17_000 : 5;
  return {
    ...suggestion,
    tokenWeight: weight,
    similarityWeight: weight,
    publicRatingsWeight: weight,
    tokenRidge: 5,
    featureUnobservedWeight: 0.003,
  };
}
