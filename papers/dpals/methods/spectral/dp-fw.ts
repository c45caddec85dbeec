import type { PublicShape, SettingsSchema } from '@hushrec/factorize';
import { defineMethod, eachRound, idleBy, within } from '@hushrec/factorize';
import { zeroFactors } from '@hushrec/numerics';
import { SumRoom } from '@hushrec/statistics';
import { offsetSettings } from '../../../shared/rating-offset.js';
import { type FrankWolfeStep, residualCovariance } from '../../statistics/covariance.js';
import { requireCovarianceFits } from '../../statistics/item-covariance.js';
import { dpalsSettings, suggestDpals } from '../dpals-settings.js';
import { multiplyPacked, topEigenpairs } from './lanczos.js';
import { ofWholeRows, wholeRowSettings } from './whole-row-settings.js';

const { userRidge, userRidgeExponent } = dpalsSettings;
const { rowBound, unobservedWeight } = wholeRowSettings;

const schema = {
  rounds: { type: 'integer', default: 4, min: 1, max: 500, description: 'Frank–Wolfe steps (T).' },
  rowBound,
  nuclearNorm: {
    type: 'number',
    default: 3000,
    min: 1e-6,
    max: 1e12,
    description: 'κ: bound on the nuclear norm of the completed matrix.',
  },
  offset: offsetSettings.offset,
  unobservedWeight,
  userRidge: { ...userRidge, default: 1 },
  userRidgeExponent,
} as const satisfies SettingsSchema;

/**
 * Private Frank–Wolfe matrix completion, Jain et al. 2018, Algorithm 1 (reconstructed): every round releases
 * one direction v̂ from the noised covariance of residual rows, and people move their own row of Y towards −κ
 * û_i v̂ᵀ.
 *
 * Residual rows are scaled to norm ≤ 2L, so a round has Frobenius sensitivity 4L². Released: v̂ and λ̂ of
 * every round. On a device, a person's vector over the released directions is fitted by ridge, which is at
 * least as good as replaying the rounds (`replayFrankWolfe` does that, for comparison with the paper).
 */
export const dpFw = defineMethod({
  id: 'dp-fw',
  title: 'Private Frank–Wolfe matrix completion',
  paper: 'Jain et al. 2018, Algorithm 1',
  ...ofWholeRows,
  settings: schema,
  search: {
    rounds: within(3),
    rowBound: within(3),
    nuclearNorm: within(6),
    userRidge: within(6),
  },
  suggest: (shape) => suggestDpFw(shape),
  idle: (_, { scale: { min, max } }) => idleBy([min < max, 'choices', 'unobservedWeight']),
  plan: ({ rowBound, rounds }, { itemCount }) => {
    requireCovarianceFits(itemCount);
    return {
      unit: 'user',
      relation: 'add-remove',
      released: 'one item direction and its strength per round',
      releases: [
        {
          name: 'residual-covariance',
          mechanism: { kind: 'gaussian' },
          sensitivity: (2 * rowBound) ** 2,
          count: rounds,
          share: 1,
        },
      ],
    };
  },
  async train(input) {
    const { people, settings, recorder, random, signal } = input;
    const { itemCount, scale } = people;
    const { rounds, rowBound, nuclearNorm, offset } = settings;
    const implicit = scale.min === scale.max;
    const path: FrankWolfeStep[] = [];
    const shape = { kind: 'symmetric', width: itemCount } as const;
    const room = new SumRoom();
    for (const _round of eachRound(rounds, input)) {
      // People move their rows: Y_i ← (1 − η)Y_i − ηκ û_i v̂ᵀ, scaled into the ball; then W = Σ a_i a_iᵀ
      const question = { offset, rowBound, nuclearNorm, rounds, path, steps: path.length };
      const { covariance } = await people.sum(residualCovariance, question, signal, room);
      const { statistic, gridStep } = covariance;
      const release = recorder.begin('residual-covariance');
      const noisy = await release.add(0, statistic, gridStep, shape, { overwrite: true });
      release.close();
      const { values, vectors } = topEigenpairs(multiplyPacked(noisy, itemCount), itemCount, 1, random);
      const step = { direction: vectors[0], strength: Math.sqrt(Math.max(values[0], 1e-12)) }; // v̂, λ̂
      path.push(step);
    }
    const items = zeroFactors(itemCount, rounds);
    path.forEach(({ direction }, k) => {
      for (let item = 0; item < itemCount; item++)
        items.data[item * rounds + k] = direction[item] * Math.sqrt(itemCount);
    });
    return {
      model: {
        kind: 'factors',
        feedback: implicit ? 'implicit' : 'explicit',
        rank: rounds,
        itemFactors: items.data,
        offset: settings.offset,
        foldIn: {
          ridge: settings.userRidge,
          ridgeExponent: settings.userRidgeExponent,
          unobservedWeight: implicit ? settings.unobservedWeight : 0,
        },
      },
      facts: { path },
    };
  },
});

function suggestDpFw(shape: PublicShape) {
  const { offset = 0 } = suggestDpals(shape);
  // κ of a matrix with entries of about half the scale's half range: √(n·m) times that, at a declared
  // population.
  const spread = Math.max((shape.scale.max - shape.scale.min) / 4, 0.1);
  const implicit = shape.scale.min === shape.scale.max;
  return {
    offset,
    // Likes are all 1, which one direction explains; further ones made rankings worse on validation, with
    // noise and without.
    ...(implicit && { unobservedWeight: 0.1, rounds: 1 }),
    nuclearNorm: spread * Math.sqrt((shape.declaredPeople ?? 10_000) * shape.itemCount),
  };
}
