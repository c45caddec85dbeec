import { createEngine, zeroFactors } from '@hushrec/numerics';
import { describe, expect, it } from 'vitest';
import { descend } from './encoder/encoder-descent.js';
import { bagsOf } from './encoder/item-encoder.js';
import { LinearEncoder } from './encoder/linear-encoder.js';
import { normalDraws } from './encoder/normal-draws.js';
import { adam, gradientDescent } from './encoder/optimizer.js';
import { NoisyQuadratic } from './noisy-quadratic.js';

const items = 5;
const width = 2;
let state = 3;
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};
const sums = {
  begin: 0,
  end: items,
  matrices: Float64Array.from({ length: items * 3 }, () => 4 * random() - 1),
  vectors: Float64Array.from({ length: items * width }, () => 2 * random() - 1),
};
const ridge = new Float64Array(items).fill(0.5);
const quadratic = new NoisyQuadratic(items, width, ridge);
quadratic.set({ ...sums, matrices: sums.matrices.slice(), vectors: sums.vectors.slice() });

describe('NoisyQuadratic', () => {
  it('has the gradient of finite differences', () => {
    const at = zeroFactors(items, width);
    for (let k = 0; k < at.data.length; k++) at.data[k] = Math.sin(k);
    const gradient = zeroFactors(items, width);
    quadratic.gradient(at, gradient);
    for (let k = 0; k < at.data.length; k++) {
      const before = at.data[k];
      at.data[k] = before + 0.01;
      const up = quadratic.value(at);
      at.data[k] = before - 0.01;
      const down = quadratic.value(at);
      at.data[k] = before;
      expect(gradient.data[k]).toBeCloseTo((up - down) / 0.02, 3);
    }
  });

  it('is minimized, with a token per item, where the engine solves the projected systems', async () => {
    const engine = await createEngine({ threads: 1 });
    const exact = zeroFactors(items, width);
    const matrices = sums.matrices.slice();
    await engine.solvePsd({
      width,
      count: items,
      matrices,
      vectors: sums.vectors.slice(),
      ridge,
      out: exact,
      begin: 0,
    });
    const options = { batchItems: 0, projectRadius: false, targetBound: 1, clipNorm: 1 };
    for (const optimizer of [gradientDescent(0.1), adam(0.02, items * width)]) {
      const encoder = new LinearEncoder(bagsOf([], items, true), width, 1, normalDraws(random));
      const found = zeroFactors(items, width);
      descend(quadratic, encoder, optimizer, found, 2000, options, random);
      encoder.encode(found);
      found.data.forEach((value, k) => {
        expect(value).toBeCloseTo(exact.data[k], 3);
      });
    }
    await engine.close();
  });

  it('expands a loss so that the minimum is one Newton step away', () => {
    const around = zeroFactors(items, width);
    for (let k = 0; k < around.data.length; k++) around.data[k] = Math.cos(k);
    const trust = 0.3;
    const expansion = new NoisyQuadratic(items, width, new Float64Array(items).fill(trust));
    expansion.setExpansion(
      { ...sums, matrices: sums.matrices.slice(), vectors: sums.vectors.slice() },
      around,
      trust,
    );
    const gradient = zeroFactors(items, width);
    expansion.gradient(around, gradient);
    gradient.data.forEach((value, k) => {
      expect(value).toBeCloseTo(sums.vectors[k], 4);
    });
  });
});
