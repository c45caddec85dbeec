import type { SettingsSchema } from '@hushrec/factorize';
import { defineMethod, idleBy, within } from '@hushrec/factorize';
import { zeroFactors } from '@hushrec/numerics';
import { offsetSettings } from '../../../shared/rating-offset.js';
import { idleIntercept } from '../../../shared/user-step.js';
import { dpalsSettings, suggestDpals } from '../dpals-settings.js';
import { planDirections, principalDirections } from './principal-directions.js';
import { ofWholeRows, wholeRowSettings } from './whole-row-settings.js';

const { rank, userRidge, userRidgeExponent, intercept, interceptRidge } = dpalsSettings;
const { rowBound, unobservedWeight } = wholeRowSettings;

const schema = {
  rank,
  userRidge,
  userRidgeExponent,
  intercept: { ...intercept, default: true },
  interceptRidge,
  offset: offsetSettings.offset,
  unobservedWeight,
  rowBound,
} as const satisfies SettingsSchema;

/**
 * Private principal directions: the item covariance of McSherry & Mironov 2009 at user level, with the noise
 * of Dwork et al. 2014 ("Analyze Gauss"); the baseline that Chien et al. 2021 compare with. One release,
 * Frobenius sensitivity L². Item vectors are the leading eigenvectors times the root of their eigenvalue over
 * the largest; people fit theirs by ridge.
 */
export const dpSvd = defineMethod({
  id: 'dp-svd',
  title: 'Private singular value decomposition',
  paper: 'McSherry & Mironov 2009; Dwork et al. 2014 (Analyze Gauss)',
  ...ofWholeRows,
  settings: schema,
  search: {
    rank: within(4),
    rowBound: within(3),
    userRidge: within(6),
    interceptRidge: within(3),
  },
  suggest: (shape) => {
    const { offset = 0 } = suggestDpals(shape);
    return {
      offset,
      ...(shape.scale.min === shape.scale.max && { intercept: false, unobservedWeight: 0.1 }),
    };
  },
  idle: ({ intercept }, { scale: { min, max } }) =>
    idleBy(
      [min === max, 'ratings', 'offset'],
      [min < max, 'choices', 'unobservedWeight'],
      ...idleIntercept(intercept, min === max),
    ),
  plan: (settings, { itemCount }) => ({
    unit: 'user',
    relation: 'add-remove',
    released: 'item vectors',
    releases: [planDirections(itemCount, settings.rowBound, 1)],
  }),
  async train(input) {
    const { people, settings, recorder, random, signal } = input;
    const { itemCount, scale } = people;
    const implicit = scale.min === scale.max;
    const offset = implicit ? 0 : settings.offset;
    const { rowBound, interceptRidge } = settings;
    const own = settings.intercept && !implicit ? { interceptRidge } : {};

    const width = Math.min(settings.rank, itemCount);
    const question = { offset, ...own, rowBound };
    const { values, vectors } = await principalDirections(people, recorder, question, width, random, signal);
    const items = zeroFactors(itemCount, width);
    vectors.forEach((vector, k) => {
      const length = Math.sqrt((Math.max(values[k], 0) / Math.max(values[0], 1e-300)) * itemCount);
      for (let item = 0; item < itemCount; item++) items.data[item * width + k] = vector[item] * length;
    });
    return {
      model: {
        kind: 'factors',
        feedback: implicit ? 'implicit' : 'explicit',
        rank: width,
        itemFactors: items.data,
        offset,
        foldIn: {
          ridge: settings.userRidge,
          ridgeExponent: settings.userRidgeExponent,
          ...own,
          unobservedWeight: implicit ? settings.unobservedWeight : 0,
        },
      },
      facts: { eigenvalues: values },
    };
  },
});
