import { describe, expect, it } from 'vitest';
import { generateShape, type Shape } from './generated-shape.js';

const shape: Shape = {
  people: 800,
  items: 300,
  each: 20,
  steepness: 1,
  mean: 0.8,
  scale: { min: -10, max: 10, step: 0.25 },
  seed: 4,
};

describe('generated shapes', () => {
  const { byUser } = generateShape(shape);
  const counts = (indices: ArrayLike<number>) => {
    const found = new Float64Array(shape.items);
    for (let at = 0; at < indices.length; at++) found[indices[at]]++;
    return found.sort().reverse();
  };

  it('are the same for the same seed and others for another', () => {
    expect(generateShape(shape).byUser.values).toEqual(byUser.values);
    expect(generateShape({ ...shape, seed: 5 }).byUser.values).not.toEqual(byUser.values);
  });

  it('have the size, the mean and the scale that were asked for', () => {
    expect(byUser.rowCount).toBe(800);
    expect(byUser.indices.length / 800).toBeGreaterThan(16);
    expect(byUser.indices.length / 800).toBeLessThan(24);
    const mean = byUser.values.reduce((sum, value) => sum + value, 0) / byUser.values.length;
    expect((mean + 10) / 20).toBeGreaterThan(0.72);
    expect((mean + 10) / 20).toBeLessThan(0.85);
    expect(byUser.values.every((value) => value >= -10 && value <= 10 && Number.isInteger(value * 4))).toBe(
      true,
    );
  });

  it('nobody rates an item twice', () => {
    for (let person = 0; person < 800; person++) {
      const own = byUser.indices.subarray(byUser.offsets[person], byUser.offsets[person + 1]);
      expect(new Set(own).size).toBe(own.length);
    }
  });

  it('are as steep as was asked for, and choices where there is no scale', () => {
    const steep = counts(byUser.indices);
    const flat = counts(generateShape({ ...shape, steepness: 0 }).byUser.indices);
    expect(steep[0] / steep[150]).toBeGreaterThan(3 * (flat[0] / flat[150]));
    const { scale: _, ...choices } = shape;
    expect(generateShape(choices).scale).toEqual({ min: 1, max: 1, step: 1 });
  });
});
