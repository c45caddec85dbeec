import { packedLength } from '@hushrec/numerics';
import { type PersonStatistic, roundingMargin } from '@hushrec/statistics';
import {
  type DeclaredFeatures,
  type Expectation,
  featuresOf,
} from '../../shared/statistics/expected-vectors.js';
import { clippedOwn, type OwnQuestion } from '../../shared/statistics/own-vectors.js';
import { PersonVectorSum, personGridStep } from './person-vector-sum.js';

/** Bits of a coordinate of x_i: products have 28, so that sums over 2²⁵ people are exact. */
const featureBits = 14;

/** Frobenius sensitivity of `featureGramian`: ‖x_i‖² ≤ 1. */
export const featureGramianSensitivity = 1;

/**
 * G = Σ_i x_i x_iᵀ over all people, a packed upper triangle of width 1 + features.
 *
 * Frobenius sensitivity 1: one person adds z zᵀ with the integers z = trunc(x_i 2^14), and ‖z‖ ≤ ‖x_i‖ 2^14 ≤
 * 2^14, since x_i has length 1 whatever she says, with room for rounding (`roundingMargin`). Replacing: √2.
 * O(people × own features²).
 */
export const featureGramian: PersonStatistic<DeclaredFeatures, 'gramian'> = {
  id: 'feature-gramian',
  parallel: 'engine',
  shapes: ({ names }) => ({
    gramian: {
      length: packedLength(names.length + 1),
      sensitivity: featureGramianSensitivity,
      gridStep: 2 ** (-2 * featureBits),
    },
  }),
  add(share, declared, { gramian }) {
    const width = declared.names.length + 1;
    for (const { rows, values } of featuresOf(share, declared)) {
      const whole = values.map((value) => Math.trunc(value * roundingMargin * 2 ** featureBits));
      for (let a = 0; a < rows.length; a++) {
        const from = rows[a] * width - (rows[a] * (rows[a] - 1)) / 2 - rows[a];
        for (let c = a; c < rows.length; c++) gramian[from + rows[c]] += whole[a] * whole[c];
      }
    }
  },
};

export interface FeatureVectorQuestion {
  /** With the expectation so far. */
  readonly own: OwnQuestion & { readonly expected: Expectation };
  /** Γ_u. */
  readonly clipNorm: number;
}

/**
 * C = Σ_i x_i u_iᵀ over all people, (1 + features) × d: what people's vectors are by their features.
 *
 * L2 sensitivity Γ_u: one person adds x_i ⊗ u_i, whose norm is ‖x_i‖·‖u_i‖ ≤ 1·Γ_u. Both are functions of her
 * own ratings, her own features and released numbers (L1), so nobody else's part changes. `PersonVectorSum`
 * scales the outer product to Γ_u once more, with room for rounding, and truncates towards zero. Replacing:
 * 2Γ_u. O(ratings × d² + people × (d³ + own features × d)).
 */
export const featureVectors: PersonStatistic<FeatureVectorQuestion, 'vectors'> = {
  id: 'feature-vectors',
  parallel: 'engine',
  shapes: ({ own: { expected, items }, clipNorm }) => ({
    vectors: {
      length: (expected.names.length + 1) * items.width,
      sensitivity: clipNorm,
      gridStep: personGridStep(clipNorm),
    },
  }),
  async add(share, { own, clipNorm }, { vectors }) {
    const { users } = await clippedOwn(share, own, clipNorm);
    const { data, width } = users.rows;
    const sum = new PersonVectorSum(vectors.length, clipNorm, vectors);
    featuresOf(share, own.expected).forEach(({ rows, values }, person) => {
      sum.addOuter(rows, values, rows.length, data, person * width, width);
    });
  },
};
