import { zeroFactors } from '@hushrec/numerics';
import { describe, expect, it } from 'vitest';
import { BagLayers, TokenSummer } from '../../statistics/item-encoding.js';
import { EmbeddingBagEncoder } from './embedding-bag-encoder.js';
import { filmFeatures as features, filmCount as items } from './film-features.test.data.js';
import { bagsOf, type ItemEncoder, NoFeaturesError } from './item-encoder.js';
import { LinearEncoder } from './linear-encoder.js';
import { normalDraws } from './normal-draws.js';

let state = 3;
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};
const bags = bagsOf(features, items, true);
const encoders: [string, ItemEncoder][] = [
  ['bag', new EmbeddingBagEncoder(bags, 3, 4, 0.5, normalDraws(random))],
  ['linear', new LinearEncoder(bags, 3, 0.5, normalDraws(random))],
];

describe.each(encoders)('%s encoder', (_, encoder) => {
  const target = zeroFactors(items, 3);
  for (let at = 0; at < target.data.length; at++) target.data[at] = Math.sin(at + 1);
  /** Σ_j t_j · v_j: its gradient with respect to v_j is t_j. */
  const value = (some?: Uint32Array) => {
    const out = zeroFactors(items, 3);
    encoder.encode(out, some);
    return out.data.reduce((sum, x, at) => sum + x * target.data[at], 0);
  };

  it.each([undefined, Uint32Array.of(1, 5)])('has the gradient of finite differences (items %s)', (some) => {
    const gradient = new Float32Array(encoder.parameters.length);
    encoder.addGradient(target, gradient, some);
    const step = 1e-2;
    for (let at = 0; at < encoder.parameters.length; at++) {
      const before = encoder.parameters[at];
      encoder.parameters[at] = before + step;
      const up = value(some);
      encoder.parameters[at] = before - step;
      const down = value(some);
      encoder.parameters[at] = before;
      expect(gradient[at]).toBeCloseTo((up - down) / (2 * step), 3);
    }
  });
});

describe('the bag encoder', () => {
  it('names every parameter its items depend on, once', () => {
    const encoder = new EmbeddingBagEncoder(bags, 3, 4, 0.5, normalDraws(random));
    const target = zeroFactors(items, 3);
    for (let at = 0; at < target.data.length; at++) target.data[at] = Math.sin(at + 1);
    const some = Uint32Array.of(0, 3);
    const gradient = new Float32Array(encoder.parameters.length);
    encoder.addGradient(target, gradient, some);
    const ranges = new BagLayers(encoder.encoding).rangesOf(some);
    const named = new Uint8Array(gradient.length);
    for (let r = 0; r < ranges.length; r += 2) {
      for (let at = ranges[r]; at < ranges[r] + ranges[r + 1]; at++) named[at]++;
    }
    expect(Math.max(...named)).toBe(1);
    gradient.forEach((g, at) => {
      if (g !== 0) expect(named[at]).toBe(1);
    });
  });
});

describe('the linear encoder', () => {
  it('projects on the ball of every item, moving as little as it can', () => {
    const encoder = new LinearEncoder(bagsOf(features, items, false), 2, 3, normalDraws(random));
    const before = encoder.parameters.slice();
    const radius = 1.2;
    encoder.project(radius, 200);
    const out = zeroFactors(items, 2);
    encoder.encode(out);
    for (let item = 0; item < items; item++) {
      expect(Math.hypot(out.data[2 * item], out.data[2 * item + 1])).toBeLessThanOrEqual(radius * (1 + 1e-5));
    }
    // Scaling everything down is feasible too, and farther away.
    const moved = Math.hypot(...encoder.parameters.map((x, at) => x - before[at]));
    const probe = zeroFactors(items, 2);
    const scaled = new LinearEncoder(bagsOf(features, items, false), 2, 3, normalDraws(random));
    scaled.parameters.set(before);
    scaled.encode(probe);
    let largest = 0;
    for (let item = 0; item < items; item++)
      largest = Math.max(largest, Math.hypot(probe.data[2 * item], probe.data[2 * item + 1]));
    const farther = Math.hypot(...before) * (1 - radius / largest);
    expect(largest).toBeGreaterThan(radius);
    expect(moved).toBeLessThan(farther);
  });

  it('sums errors over tokens: the gradient is their outer product with the person’s vector', () => {
    const encoder = new LinearEncoder(bags, 2, 0.1, normalDraws(random));
    const some = Uint32Array.of(0, 3, 4);
    const errors = Float64Array.of(0.5, -1, 2);
    const person = [0.25, -3];
    const outputs = zeroFactors(items, 2);
    some.forEach((item, k) => {
      for (let a = 0; a < 2; a++) outputs.data[2 * item + a] = errors[k] * person[a];
    });
    const gradient = new Float32Array(encoder.parameters.length);
    encoder.addGradient(outputs, gradient, some);
    const { tokens, sums, count } = new TokenSummer(encoder.encoding).sum(some, errors);
    const outer = new Float32Array(gradient.length);
    for (let k = 0; k < count; k++) {
      for (let a = 0; a < 2; a++) outer[2 * tokens[k] + a] += sums[k] * person[a];
    }
    expect(count).toBe(new Set(tokens.subarray(0, count)).size);
    gradient.forEach((g, at) => {
      expect(outer[at]).toBeCloseTo(g, 5);
    });
  });

  it('leaves a feasible θ alone', () => {
    const encoder = new LinearEncoder(bags, 2, 0.1, normalDraws(random));
    const before = encoder.parameters.slice();
    encoder.project(100);
    expect(encoder.parameters).toEqual(before);
  });
});

it('says what to do when items have nothing to be encoded from', () => {
  expect(() => bagsOf([], items, false)).toThrow(NoFeaturesError);
});
