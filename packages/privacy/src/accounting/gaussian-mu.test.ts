import { describe, expect, it } from 'vitest';
import { gaussianMu } from './gaussian-mu.js';

describe('μ of a Gaussian release', () => {
  const event = { kind: 'gaussian', sensitivity: 3, noise: 4 } as const;

  it('is sensitivity over noise', () => {
    expect(gaussianMu(event)).toBe(0.75);
  });

  it.each([64, 1024, 2 ** 20])(
    'is what the rounding lemma leaves of it on a grid of σ = %i steps',
    (gridSigma) => {
      expect(gaussianMu({ ...event, gridSigma })).toBeCloseTo(
        (0.75 * gridSigma) / Math.sqrt(gridSigma ** 2 - 8),
        12,
      );
      expect(gaussianMu({ ...event, gridSigma })).toBeGreaterThan(0.75);
    },
  );

  it('needs noise', () => {
    expect(() => gaussianMu({ ...event, noise: 0 })).toThrow(/non-private/);
  });
});
