import { type FactorMatrix, zeroFactors } from '@hushrec/numerics';
import { describe, expect, it } from 'vitest';
import { filmFeatures as features, filmCount as items } from './encoder/film-features.test.data.js';
import { bagsOf, featureBags } from './encoder/item-encoder.js';
import { LinearEncoder } from './encoder/linear-encoder.js';
import { LinearFit } from './linear-fit.js';
import { NoisyQuadratic } from './noisy-quadratic.js';

const width = 2;
let state = 11;
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};
const quadratic = new NoisyQuadratic(items, width, new Float64Array(items).fill(0.5));
quadratic.set({
  begin: 0,
  end: items,
  matrices: Float64Array.from({ length: items * 3 }, () => 4 * random() - 1),
  vectors: Float64Array.from({ length: items * width }, () => 2 * random() - 1),
});
quadratic.setCommon(Float64Array.of(0.3, 0.1, 0.1, 0.2));
const ownRidge = Float64Array.from({ length: items }, (_, item) => 0.2 + item / 3);
const tokenRidge = 0.7;

/** F(V) + ½ Σ κ_j ‖v_j − θᵀx_j‖² + ½ ρ ‖θ‖² after descent over θ and own vectors by small plain steps. */
function descended(itemIds: boolean): FactorMatrix {
  const encoder = new LinearEncoder(bagsOf(features, items, itemIds), width, 1, () => 0);
  const tokens = 5 * width;
  const found = zeroFactors(items, width);
  const outputs = zeroFactors(items, width);
  const gradient = new Float32Array(encoder.parameters.length);
  for (let step = 0; step < 20_000; step++) {
    encoder.encode(found);
    quadratic.gradient(found, outputs);
    gradient.fill(0);
    encoder.addGradient(outputs, gradient);
    for (let at = 0; at < gradient.length; at++) {
      const ridge = at < tokens ? tokenRidge : ownRidge[Math.floor((at - tokens) / width)];
      encoder.parameters[at] -= 0.02 * (gradient[at] + ridge * encoder.parameters[at]);
    }
  }
  encoder.encode(found);
  return found;
}

describe('LinearFit', () => {
  it.each([true, false])('finds the minimum that descent finds (own vectors: %s)', (itemIds) => {
    const fit = new LinearFit(featureBags(features), width, { itemIds, ownRidge, tokenRidge });
    const found = zeroFactors(items, width);
    fit.fit(quadratic, found, 40);
    const expected = descended(itemIds);
    found.data.forEach((value, at) => {
      expect(value).toBeCloseTo(expected.data[at], 4);
    });
  });

  it('survives sums of rank 1 that are huge beside every ridge, which rounding makes indefinite', () => {
    const huge = new NoisyQuadratic(items, width, new Float64Array(items).fill(1e-3));
    const matrices = Float64Array.from({ length: items * 3 }, (_, at) => {
      const [x, y] = [Math.cos(at - (at % 3)), Math.sin(at - (at % 3))];
      return 1e9 * [x * x, x * y, y * y][at % 3];
    });
    huge.set({ begin: 0, end: items, matrices, vectors: new Float64Array(items * width).fill(1e9) });
    const fit = new LinearFit(featureBags(features), width, { itemIds: true, ownRidge, tokenRidge });
    const found = zeroFactors(items, width);
    fit.fit(huge, found, 40);
    expect(found.data.every(Number.isFinite)).toBe(true);
  });

  it('starts from the tokens it found before', () => {
    const fit = new LinearFit(featureBags(features), width, { itemIds: true, ownRidge, tokenRidge });
    const once = zeroFactors(items, width);
    const again = zeroFactors(items, width);
    fit.fit(quadratic, once, 40);
    fit.fit(quadratic, again, 0);
    again.data.forEach((value, at) => {
      expect(value).toBeCloseTo(once.data[at], 5);
    });
  });

  it('without features solves every item by itself, pulled towards 0 by both ridges', () => {
    const fit = new LinearFit([], width, { itemIds: true, ownRidge, tokenRidge });
    const found = zeroFactors(items, width);
    fit.fit(quadratic, found, 40);
    const gradient = zeroFactors(items, width);
    quadratic.gradient(found, gradient);
    gradient.data.forEach((value, at) => {
      expect(value + ownRidge[Math.floor(at / width)] * found.data[at]).toBeCloseTo(0, 5);
    });
  });
});
