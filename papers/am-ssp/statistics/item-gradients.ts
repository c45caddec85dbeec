import { type FactorMatrix, packedLength, zeroFactors } from '@hushrec/numerics';
import type { CoinKeys } from '@hushrec/privacy';
import type { PersonStatistic } from '@hushrec/statistics';
import { clipRows } from '../../shared/statistics/clip-rows.js';
import { exactGramian } from '../../shared/statistics/exact-item-sums.js';
import { type Weighting, weighed } from '../../shared/statistics/weighting.js';
import { BagLayers, type ItemEncoding, parameterCount, TokenSummer } from './item-encoding.js';
import { type MovedQuestion, ownVectors, type SolvedQuestion } from './moved-vectors.js';
import { PersonVectorSum, personGridStep } from './person-vector-sum.js';

/** What people are asked for a step. */
export interface GradientQuestion {
  readonly weighting: Weighting;
  readonly own: SolvedQuestion | MovedQuestion;
  /** v_j at the present parameters. */
  readonly items: FactorMatrix;
  readonly encoding: ItemEncoding;
  /** Γ_g. */
  readonly bound: number;
  /** How many vectors a person may add: 1 where her whole gradient is clipped, else her examples. */
  readonly vectorsPerPerson: number;
  /** Chance that a person takes part, by her coins; 1: everyone. */
  readonly rate: number;
  readonly coins: CoinKeys;
}

/**
 * Σ_{i in the sample} clip(g_i, Γ_g), where g_i = Σ_j w_ij J_jᵀ (u_i·v_j + c_i + offset − r_ij) u_i is the
 * gradient of person i's loss with respect to the encoder's parameters (Krichene et al. 2024, Algorithm 6,
 * corrected: the clip is per person). With several vectors a person each example is clipped instead, and they
 * may add up.
 *
 * Sensitivity Γ_g times the vectors a person may add (see `PersonVectorSum`). O(examples × (d + cost of going
 * back)).
 */
export const itemGradients: PersonStatistic<GradientQuestion, 'gradient'> = {
  id: 'item-gradients',
  parallel: 'engine',
  shapes: ({ encoding, bound, vectorsPerPerson }) => ({
    gradient: {
      length: parameterCount(encoding),
      sensitivity: bound * vectorsPerPerson,
      gridStep: personGridStep(bound),
    },
  }),
  async add(share, question, into) {
    const { own, items, encoding, rate } = question;
    const { factors, intercept } = await ownVectors(share, own);
    const { byUser, rootWeights } = weighed(share, question.weighting);
    const { width } = items;
    const sum = new PersonVectorSum(parameterCount(encoding), question.bound, into.gradient);
    const addExamples = adderOf(encoding, sum, items, factors);
    const coins = share.coins(question.coins);
    const { indices, values } = byUser;
    const implicit = own.feedback === 'implicit';
    const errors = new Float64Array(items.rowCount);
    for (let user = 0; user < byUser.rowCount; user++) {
      const begin = byUser.offsets[user];
      const end = byUser.offsets[user + 1];
      if (begin === end) continue;
      if (rate < 1 && coins.uniform(user) >= rate) continue;
      const shift = own.offset + (intercept?.[user] ?? 0);
      const taste = factors.data.subarray(user * width, (user + 1) * width);
      writeErrors(
        errors,
        { indices, values: implicit ? undefined : values, begin, end },
        shift,
        taste,
        items.data,
      );
      if (rootWeights !== undefined)
        for (let at = begin; at < end; at++) errors[at - begin] = rootWeights[at] ** 2 * errors[at - begin];
      if (question.vectorsPerPerson === 1) addExamples(user, indices.subarray(begin, end), errors);
      else {
        for (let at = begin; at < end; at++)
          addExamples(user, indices.subarray(at, at + 1), errors.subarray(at - begin));
      }
    }
  },
};

/** One person's entries; every value is 1 where there are none. */
interface OwnEntries {
  readonly indices: Uint32Array;
  readonly values: Float32Array | undefined;
  readonly begin: number;
  readonly end: number;
}

/**
 * u·v_j + shift − r_j of a person's entries, to the front of `errors`. Not in the function that waits for
 * vectors: loops are slower there.
 */
function writeErrors(
  errors: Float64Array,
  { indices, values, begin, end }: OwnEntries,
  shift: number,
  taste: Float32Array,
  vectors: Float32Array,
): void {
  const width = taste.length;
  for (let at = begin, k = 0; at < end; at++, k++) {
    const to = indices[at] * width;
    let error = shift - (values === undefined ? 1 : values[at]);
    for (let a = 0; a < width; a++) error += taste[a] * vectors[to + a];
    errors[k] = error;
  }
}

/** Adds clip(Σ_j J_jᵀ e_j u_i) of one person's examples to the sum, by the shortest way there is. */
function adderOf(
  encoding: ItemEncoding,
  sum: PersonVectorSum,
  { rowCount, width }: FactorMatrix,
  people: FactorMatrix,
): (user: number, items: Uint32Array, errors: Float64Array) => void {
  if (encoding.kind === 'linear') {
    const summer = new TokenSummer(encoding);
    return (user, items, errors) => {
      const { tokens, sums, count } = summer.sum(items, errors);
      sum.addOuter(tokens, sums, count, people.data, user * width, width);
    };
  }
  const layers = new BagLayers(encoding);
  const gradient = new Float32Array(parameterCount(encoding));
  const outputs = zeroFactors(rowCount, width);
  return (user, items, errors) => {
    for (let k = 0; k < items.length; k++) {
      for (let a = 0; a < width; a++)
        outputs.data[items[k] * width + a] = errors[k] * people.data[user * width + a];
    }
    for (const item of items) layers.addGradient(item, outputs, gradient);
    const ranges = layers.rangesOf(items);
    sum.add(gradient, ranges);
    for (let r = 0; r < ranges.length; r += 2) gradient.fill(0, ranges[r], ranges[r] + ranges[r + 1]);
  };
}

/** What people are asked for the Gramian between gradient steps. */
export interface MovedGramianQuestion {
  readonly own: SolvedQuestion | MovedQuestion;
  readonly width: number;
  /** Γ_u. */
  readonly clipNorm: number;
  readonly gridBits: number;
}

/**
 * Σ_i u_i u_iᵀ of clipped copies of people's vectors, as `userGramian`: Frobenius sensitivity Γ_u².
 * O(people × d²).
 */
export const movedGramian: PersonStatistic<MovedGramianQuestion, 'gramian'> = {
  id: 'moved-gramian',
  parallel: 'engine',
  shapes: ({ width, clipNorm, gridBits }) => ({
    gramian: {
      length: packedLength(width),
      sensitivity: clipNorm ** 2,
      gridStep: (clipNorm * 2 ** -gridBits) ** 2,
    },
  }),
  async add(share, { own, clipNorm, gridBits }, into) {
    const { factors } = await ownVectors(share, own);
    const users = clipRows({ ...factors, data: factors.data.slice() }, clipNorm);
    into.gramian.set(await exactGramian(share.engine, users, gridBits));
  },
};
