import type { FactorModel } from '@hushrec/model';
import { describe, expect, it } from 'vitest';
import { NotPositiveDefiniteError } from './cholesky.js';
import { foldIn } from './fold-in.js';
import type { IndexedHistory } from './scorer.js';

const explicit: FactorModel = {
  kind: 'factors',
  feedback: 'explicit',
  rank: 1,
  itemFactors: Float32Array.of(1, 2),
  itemBias: Float32Array.of(0.5, -0.5),
  offset: 3,
  foldIn: { ridge: 1, ridgeExponent: 0, unobservedWeight: 0 },
};
const history: IndexedHistory = { items: Uint32Array.of(0, 1), ratings: Float64Array.of(4.5, 3.5) };

/** Objective of the FactorModel's doc comment, written out plainly; the slow independent check. */
function objective(
  model: FactorModel,
  { items, ratings }: IndexedHistory,
  u: Float64Array,
  c: number,
): number {
  const d = model.rank;
  const dot = (j: number) => u.reduce((sum, x, a) => sum + x * model.itemFactors[j * d + a], 0);
  const { ridge, ridgeExponent, ridgeCountOffset = 0, interceptRidge = 0, unobservedWeight } = model.foldIn;
  let loss = ridge * (items.length + ridgeCountOffset) ** ridgeExponent * u.reduce((s, x) => s + x * x, 0);
  loss += interceptRidge * c * c;
  items.forEach((j, k) => {
    const target =
      model.feedback === 'implicit' ? 1 : ratings[k] - model.offset - (model.itemBias?.[j] ?? 0) - c;
    loss += (target - dot(j)) ** 2;
  });
  for (let j = 0; j < model.itemFactors.length / d; j++) loss += unobservedWeight * dot(j) ** 2;
  return loss;
}

describe('foldIn', () => {
  it('gives the values worked out by hand', () => {
    // y = (4.5 − 3 − 0.5, 3.5 − 3 + 0.5) = (1, 1);  u = (1·1 + 2·1)/(1 + 4 + 1) = 1/2
    expect(foldIn(explicit, history).vector[0]).toBeCloseTo(0.5, 12);
    // With an intercept of ridge 1: [6 3; 3 3](u, c) = (3, 2)  ⇒  u = 1/3, c = 1/3
    const withIntercept = { ...explicit, foldIn: { ...explicit.foldIn, interceptRidge: 1 } };
    const joint = foldIn(withIntercept, history);
    expect(joint.vector[0]).toBeCloseTo(1 / 3, 12);
    expect(joint.intercept).toBeCloseTo(1 / 3, 12);
    // Weighted ridge 1·(2 + 2)^0.5 = 2:  u = 3/(5 + 2)
    const weighted = { ...explicit, foldIn: { ...explicit.foldIn, ridgeExponent: 0.5, ridgeCountOffset: 2 } };
    expect(foldIn(weighted, history).vector[0]).toBeCloseTo(3 / 7, 12);
    // Implicit, α = 0.1, one liked item of vector 2: u = 2/(4 + 0.1·5 + 1)
    const implicit: FactorModel = {
      ...explicit,
      feedback: 'implicit',
      foldIn: { ridge: 1, ridgeExponent: 0, unobservedWeight: 0.1 },
    };
    const liked = { items: Uint32Array.of(1), ratings: Float64Array.of(1) };
    expect(foldIn(implicit, liked).vector[0]).toBeCloseTo(2 / 5.5, 12);
  });

  it.each(['explicit', 'implicit'] as const)('minimises the stated objective: %s', (feedback) => {
    const d = 4;
    let state = 7;
    const uniform = () => {
      state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
      return state / 0x7fffffff - 0.5;
    };
    const model: FactorModel = {
      kind: 'factors',
      feedback,
      rank: d,
      itemFactors: Float32Array.from({ length: 30 * d }, uniform),
      itemBias: Float32Array.from({ length: 30 }, uniform),
      offset: feedback === 'explicit' ? 3.5 : 0,
      foldIn: {
        ridge: 0.3,
        ridgeExponent: 0.5,
        ridgeCountOffset: 1.5,
        unobservedWeight: feedback === 'implicit' ? 0.2 : 0,
        ...(feedback === 'explicit' && { interceptRidge: 0.7 }),
      },
    };
    const own = { items: Uint32Array.of(3, 1, 20, 11, 7), ratings: Float64Array.of(1, 5, 3, 4, 2) };
    const { vector, intercept } = foldIn(model, own);
    const best = objective(model, own, vector, intercept);
    for (let a = 0; a <= d; a++) {
      for (const step of [-1e-3, 1e-3]) {
        const moved = vector.slice();
        if (a < d) moved[a] = moved[a] + step;
        else if (feedback === 'implicit') continue;
        expect(objective(model, own, moved, a < d ? intercept : intercept + step)).toBeGreaterThan(best);
      }
    }
  });

  it('gives zero for an empty history and names the remedy when the ridge is missing', () => {
    const nobody = { items: new Uint32Array(0), ratings: new Float64Array(0) };
    expect(Array.from(foldIn(explicit, nobody).vector)).toEqual([0]);
    const flat: FactorModel = {
      ...explicit,
      itemFactors: Float32Array.of(0, 0),
      foldIn: { ...explicit.foldIn, ridge: 0 },
    };
    expect(() => foldIn(flat, history)).toThrow(NotPositiveDefiniteError);
    expect(() => foldIn(flat, history)).toThrow(/ridge must be > 0/);
  });
});
