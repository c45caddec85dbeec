import {
  type FactorMatrix,
  randomFactors,
  rowRidges,
  sharedFloat32,
  transpose,
  zeroFactors,
} from '@hushrec/numerics';
import { defineMethod } from '../define-method.js';
import { eachRound } from '../each-round.js';
import { within } from '../search-space.js';
import type { SettingsSchema } from '../settings.js';
import { itemCounts } from '../shared/averages.js';
import { planWithoutPrivacy } from '../without-privacy.js';

const schema = {
  rank: { type: 'integer', default: 32, min: 1, max: 2048, description: 'Length of the vectors.' },
  rounds: {
    type: 'integer',
    default: 16,
    min: 1,
    max: 1000,
    description: 'Sweeps over users and items.',
  },
  ridge: {
    type: 'number',
    default: 0.01,
    min: 1e-9,
    max: 1e6,
    description: 'λ of both sides; multiplied by (count + unobservedWeight × other side)^ridgeExponent.',
  },
  ridgeExponent: {
    type: 'number',
    default: 1,
    min: 0,
    max: 2,
    description: 'Power of the frequency in the ridge: 1 weighs with frequency, 0 is one ridge for all.',
  },
  unobservedWeight: {
    type: 'number',
    default: 0.3,
    min: 0,
    max: 100,
    description: 'α₀: weight of every pair, observed or not, towards 0.',
  },
  initialStdDev: {
    type: 'number',
    default: 0.1,
    min: 1e-6,
    max: 10,
    description: 'Standard deviation of the initial vectors; divided by √rank per coordinate.',
  },
  solver: {
    type: 'choice',
    default: 'cg',
    choices: ['cg', 'cholesky'],
    description:
      'cg takes three conjugate-gradient steps a sweep from the vectors of the last one; cholesky solves every sweep exactly, and takes up to five times as long.',
  },
} as const satisfies SettingsSchema;

/**
 * Implicit alternating least squares (Hu, Koren, Volinsky 2008) with the frequency-scaled regularizer of
 * Rendle et al. 2021 ("Revisiting iALS"): every observed pair has target 1,
 *
 *   min Σ_Ω (1 − u_i·v_j)² + α₀ Σ_all (u_i·v_j)² + λ(Σ_i (n_i + α₀m)^ν ‖u_i‖² + Σ_j (n_j + α₀n)^ν ‖v_j‖²)
 *
 * with n users and m items. Ratings count as "observed" whatever their value. By default every half-step is
 * three conjugate-gradient steps from where the last sweep ended (Takács, Pilászy, Tikk 2011): O(entries · d)
 * instead of O(entries · d² + rows · d³), and the same quality after the usual number of sweeps (`npm run
 * bench -- ials`).
 */
export const ials = defineMethod({
  id: 'ials',
  title: 'Implicit alternating least squares',
  paper: 'Hu, Koren, Volinsky 2008; Rendle et al. 2021',
  feedback: ['implicit'],
  protects: [],
  settings: schema,
  needs: 'ratings',
  // Sparser data want less weight on what was not chosen, and a smaller ridge; Rendle et al. 2021 use 0.02
  // and 0.004 on 40,981 places.
  search: {
    rank: within(2),
    ridge: within(8),
    unobservedWeight: within(8),
  },
  suggest: ({ itemCount }) => {
    const thinness = Math.min(1, 4_000 / itemCount);
    return {
      unobservedWeight: Number((0.3 * thinness).toPrecision(3)),
      ridge: Number((0.01 * Math.sqrt(thinness)).toPrecision(3)),
      rank: Math.min(64, Math.round(32 / Math.sqrt(thinness))),
    };
  },
  plan: () => planWithoutPrivacy('exact item vectors and item counts'),
  async train({ ratings, settings, engine, random, progress, signal }) {
    const { rank, rounds, ridge, ridgeExponent, unobservedWeight, initialStdDev, solver } = settings;
    const byUser = ratings.byUser;
    const byItem = transpose(byUser);
    const targets = sharedFloat32(byUser.values.length).fill(1);
    const userRidge = rowRidges(byUser, ridge, ridgeExponent, unobservedWeight * ratings.itemCount);
    const itemRidge = rowRidges(byItem, ridge, ridgeExponent, unobservedWeight * ratings.userCount);
    const items = randomFactors(ratings.itemCount, rank, initialStdDev / Math.sqrt(rank), random); // V ← init
    const users = zeroFactors(ratings.userCount, rank);
    const unobserved = async (fixed: FactorMatrix) =>
      unobservedWeight > 0 ? { unobservedWeight, gramian: await engine.gramian(fixed) } : {};
    for (const _round of eachRound(rounds, { progress, signal })) {
      await engine.solveRows({
        rows: byUser,
        fixed: items,
        out: users,
        ridge: userRidge,
        targets,
        solver,
        ...(await unobserved(items)), // α₀ VᵀV
      }); // U ← argmin given V, or three steps towards it
      await engine.solveRows({
        rows: byItem,
        fixed: users,
        out: items,
        ridge: itemRidge,
        targets,
        solver,
        ...(await unobserved(users)), // α₀ UᵀU
      }); // V ← argmin given U, or three steps towards it
    }
    return {
      model: {
        kind: 'factors',
        feedback: 'implicit',
        rank,
        itemFactors: items.data,
        offset: 0,
        foldIn: {
          ridge,
          ridgeExponent,
          ridgeCountOffset: unobservedWeight * ratings.itemCount,
          unobservedWeight,
        },
        popularity: itemCounts(byUser),
      },
    };
  },
});
