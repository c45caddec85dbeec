import { randomFactors, type Side, sharedFloat32, solveSide, transpose } from '@hushrec/numerics';
import type { RatingScale } from '@hushrec/ratings';
import { defineMethod } from '../define-method.js';
import { eachRound } from '../each-round.js';
import { idleBy } from '../idle-settings.js';
import { within } from '../search-space.js';
import type { SettingsSchema } from '../settings.js';
import { initialStdDev } from '../shared/initial-vectors.js';
import { meanRating } from '../shared/mean-rating.js';
import { planWithoutPrivacy } from '../without-privacy.js';

const schema = {
  rank: { type: 'integer', default: 32, min: 1, max: 512, description: 'Length of the vectors.' },
  rounds: {
    type: 'integer',
    default: 15,
    min: 1,
    max: 1000,
    description: 'Sweeps over users and items.',
  },
  ridge: {
    type: 'number',
    default: 0.45,
    min: 1e-9,
    max: 1e6,
    description:
      'λ of both sides; multiplied by n^ridgeExponent. The suggested one grows with the width of the scale.',
  },
  ridgeExponent: {
    type: 'number',
    default: 0.7,
    min: 0,
    max: 2,
    description: 'Power of the own number of ratings in the ridge: 1 is weighted-λ (ALS-WR), 0 plain ridge.',
  },
  biases: {
    type: 'boolean',
    default: true,
    description: 'Fit the mean, item biases and personal intercepts jointly with the vectors.',
  },
  interceptRidge: {
    type: 'number',
    default: 5,
    min: 0,
    max: 1e6,
    description: 'Ridge of the personal intercept, in ratings. Used with biases.',
  },
  biasRidge: {
    type: 'number',
    default: 5,
    min: 0,
    max: 1e6,
    description: 'Ridge of the item bias, in ratings. Used with biases.',
  },
  initialStdDev,
} as const satisfies SettingsSchema;

/**
 * Alternating least squares with weighted-λ regularization (Zhou et al. 2008, "ALS-WR"), with optional
 * biases:
 *
 *   min Σ_Ω (r_ij − μ − b_j − c_i − u_i·v_j)² + λ(Σ_i n_i^p ‖u_i‖² + Σ_j n_j^p ‖v_j‖²) + β_u‖c‖² + β_m‖b‖²
 *
 * Each half-step is solved exactly, biases included. The non-private counterpart of DPALS.
 */
export const als = defineMethod({
  id: 'als',
  title: 'Alternating least squares',
  paper: 'Zhou et al. 2008 (ALS-WR)',
  feedback: ['explicit'],
  protects: [],
  settings: schema,
  needs: 'ratings',
  search: {
    rank: within(2),
    ridge: within(2.5),
    ridgeExponent: within(1.4),
  },
  suggest: ({ scale }) => ({ ridge: Number((schema.ridge.default * relativeWidth(scale)).toPrecision(3)) }),
  idle: ({ biases }) => idleBy([!biases, 'biases=true', 'interceptRidge', 'biasRidge']),
  plan: () => planWithoutPrivacy('exact item vectors and biases'),
  async train({ ratings, settings, engine, random, progress, signal }) {
    const { rank, rounds, ridge, ridgeExponent, biases, interceptRidge, biasRidge, initialStdDev } = settings;
    const byUser = ratings.byUser;
    const byItem = transpose(byUser);
    const offset = biases ? meanRating(byUser) : 0;
    const entryBuffer = sharedFloat32(byUser.values.length);
    const side = { ridge, ridgeExponent, offset, entryBuffer };
    let items: Side = {
      factors: randomFactors(ratings.itemCount, rank, initialStdDev, random), // V ← N(0, σ²)
      ...(biases && { intercept: new Float32Array(ratings.itemCount) }), // b ← 0
    };
    let users: Side | undefined;
    for (const _round of eachRound(rounds, { progress, signal })) {
      users = await solveSide(engine, {
        ...side,
        rows: byUser,
        fixed: items,
        ...(biases && { interceptRidge }),
        ...(users && { out: users }),
      }); // (U, c) ← argmin given (V, b)
      items = await solveSide(engine, {
        ...side,
        rows: byItem,
        fixed: users,
        ...(biases && { interceptRidge: biasRidge }),
        out: items,
      }); // (V, b) ← argmin given (U, c)
    }
    return {
      model: {
        kind: 'factors',
        feedback: 'explicit',
        rank,
        itemFactors: items.factors.data,
        ...(items.intercept && { itemBias: items.intercept }),
        offset,
        foldIn: {
          ridge,
          ridgeExponent,
          ...(biases && { interceptRidge }),
          unobservedWeight: 0,
        },
      },
    };
  },
});

/**
 * Width of a rating scale over that of the scales the default ridge is for, 1–5 and 0.5–5. Ratings c times as
 * large have vectors √c times as long on both sides; errors then grow by c² and ‖u‖², ‖v‖² by c, so that the
 * same solution needs c times the ridge.
 */
function relativeWidth({ min, max }: RatingScale): number {
  const width = max - min;
  if (width === 0) return 1;
  return width / Math.min(4.5, Math.max(4, width));
}
