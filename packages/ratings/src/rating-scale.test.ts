import { describe, expect, it, vi } from 'vitest';
import { ImportOptionError } from './bad-data-error.js';
import { declaredScale } from './rating-scale.js';

const stars = { min: 1, max: 5, step: 1 };
const halfStars = { min: 0.5, max: 5, step: 0.5 };

describe('the scale of ratings', () => {
  it('is the declared one, and nothing is assumed then', () => {
    const assumeScale = vi.fn(() => halfStars);
    expect(declaredScale({ scale: stars, assumeScale })).toBe(stars);
    expect(assumeScale).not.toHaveBeenCalled();
  });

  it('is assumed by whoever says so, and otherwise asked for', () => {
    expect(declaredScale({ assumeScale: () => halfStars })).toBe(halfStars);
    expect(() => declaredScale({})).toThrow(ImportOptionError);
  });
});
