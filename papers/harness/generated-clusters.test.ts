import { describe, expect, it } from 'vitest';
import { type Clustered, generateClusters } from './generated-clusters.js';
import { nearestGrade } from './nearest-grade.js';

const recipe: Clustered = {
  people: 600,
  items: 400,
  each: 15,
  clusters: 8,
  steepness: 0.7,
  loyalty: 0.8,
  mean: 0.7,
  scale: { min: 1, max: 10, step: 1 },
  seed: 3,
};

describe('generated clusters', () => {
  const { byUser } = generateClusters(recipe);

  it('are the same for the same seed and others for another', () => {
    expect(generateClusters(recipe).byUser.values).toEqual(byUser.values);
    expect(generateClusters({ ...recipe, seed: 4 }).byUser.values).not.toEqual(byUser.values);
  });

  it('have the size and the scale that were asked for, and every pair once', () => {
    expect(byUser.indices.length / 600).toBeGreaterThan(12);
    expect(byUser.indices.length / 600).toBeLessThan(18);
    expect(byUser.values.every((value) => value >= 1 && value <= 10 && Number.isInteger(value))).toBe(true);
    for (let person = 0; person < 600; person++) {
      const own = byUser.indices.subarray(byUser.offsets[person], byUser.offsets[person + 1]);
      expect(new Set(own).size).toBe(own.length);
    }
  });

  it('are choices where there is no scale', () => {
    const { scale: _, ...choices } = recipe;
    const made = generateClusters(choices);
    expect(made.scale).toEqual({ min: 1, max: 1, step: 1 });
    expect(made.byUser.indices.length).toBeGreaterThan(600 * 3);
  });

  it('takes the nearest grade', () => {
    const scale = { min: -10, max: 10, step: 0.25 };
    expect(nearestGrade(scale, 0.5)).toBe(0);
    expect(nearestGrade(scale, 0.507)).toBe(0.25);
    expect(nearestGrade(scale, 2)).toBe(10);
    expect(nearestGrade(scale, -2)).toBe(-10);
  });
});
