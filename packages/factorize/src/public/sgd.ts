import { randomFactors } from '@hushrec/numerics';
import { defineMethod } from '../define-method.js';
import { eachRound } from '../each-round.js';
import type { SettingsSchema } from '../settings.js';
import { initialStdDev } from '../shared/initial-vectors.js';
import { meanRating } from '../shared/mean-rating.js';
import { shuffledOrder } from '../shared/shuffled-order.js';
import { planWithoutPrivacy } from '../without-privacy.js';

const schema = {
  rank: { type: 'integer', default: 32, min: 1, max: 512, description: 'Length of the vectors.' },
  rounds: { type: 'integer', default: 40, min: 1, max: 10_000, description: 'Passes over the ratings.' },
  learningRate: { type: 'number', default: 0.01, min: 1e-6, max: 1, description: 'γ, the step size.' },
  ridge: { type: 'number', default: 0.07, min: 1e-6, max: 100, description: 'λ, per rating.' },
  biasRidge: {
    type: 'number',
    default: 0.005,
    min: 0,
    max: 100,
    description: 'λ of the biases, per rating.',
  },
  initialStdDev,
} as const satisfies SettingsSchema;

/**
 * Stochastic gradient descent on biased matrix factorization (Koren, Bell, Volinsky 2009): for every rating
 * in random order, with e = r − μ − b_j − c_i − u_i·v_j,
 *
 *   u_i += γ(e v_j − λu_i),  v_j += γ(e u_i − λv_j),  b_j += γ(e − λ_b b_j),  c_i += γ(e − λ_b c_i)
 *
 * both vectors from the values before the step. λ inside the sum over ratings makes a vector's ridge λ·n,
 * which is what people’s devices use afterwards to fold in: ridge λ with exponent 1, and an intercept ridge
 * of one rating. O(rounds·nnz·d).
 */
export const sgd = defineMethod({
  id: 'sgd',
  title: 'Stochastic gradient descent',
  paper: 'Koren, Bell, Volinsky 2009',
  feedback: ['explicit'],
  protects: [],
  settings: schema,
  needs: 'ratings',
  plan: () => planWithoutPrivacy('exact item vectors and biases'),
  async train({ ratings, settings, random, progress, signal }) {
    const { rank, rounds, learningRate, ridge, biasRidge, initialStdDev } = settings;
    const { indices, values, offsets } = ratings.byUser;
    const offset = meanRating(ratings.byUser);
    const users = randomFactors(ratings.userCount, rank, initialStdDev, random).data;
    const items = randomFactors(ratings.itemCount, rank, initialStdDev, random).data;
    const userBias = new Float32Array(ratings.userCount);
    const itemBias = new Float32Array(ratings.itemCount);
    const userOf = new Uint32Array(values.length);
    for (let i = 0; i < ratings.userCount; i++) userOf.fill(i, offsets[i], offsets[i + 1]);
    const order = new Uint32Array(values.length);
    for (const _round of eachRound(rounds, { progress, signal })) {
      shuffledOrder(order, random);
      for (let at = 0; at < order.length; at++) {
        const k = order[at];
        const i = userOf[k];
        const j = indices[k];
        const u = i * rank;
        const v = j * rank;
        let error = values[k] - offset - itemBias[j] - userBias[i];
        for (let a = 0; a < rank; a++) error -= users[u + a] * items[v + a];
        for (let a = 0; a < rank; a++) {
          const ua = users[u + a];
          const va = items[v + a];
          users[u + a] = ua + learningRate * (error * va - ridge * ua);
          items[v + a] = va + learningRate * (error * ua - ridge * va);
        }
        itemBias[j] = itemBias[j] + learningRate * (error - biasRidge * itemBias[j]);
        userBias[i] = userBias[i] + learningRate * (error - biasRidge * userBias[i]);
      }
    }
    return {
      model: {
        kind: 'factors',
        feedback: 'explicit',
        rank,
        itemFactors: items,
        itemBias,
        offset,
        foldIn: {
          ridge: Math.max(ridge, 1e-6),
          ridgeExponent: 1,
          interceptRidge: 1,
          unobservedWeight: 0,
        },
      },
    };
  },
});
