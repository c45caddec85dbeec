import { describe, expect, it } from 'vitest';
import { checkCertifiable, checkStrength, largestDelta, WeakGuaranteeError } from './guard-rails.js';

const asked = { epsilon: 1, delta: 1e-6, acceptWeak: false };

describe('guard rails', () => {
  it.each([
    ['a usual run', asked],
    ['ε = 20', { ...asked, epsilon: 20 }],
    ['δ at the limit', { ...asked, delta: 1e-5, declaredPeople: 10_000 }],
    ['a large δ, people undeclared', { ...asked, delta: 1e-3 }],
    ['no guarantee at all, which other rules are for', { ...asked, epsilon: Infinity }],
    [
      'a weak one that is meant',
      { ...asked, epsilon: 1000, delta: 0.1, declaredPeople: 10_000, acceptWeak: true },
    ],
  ])('let %s pass', (_, request) => {
    expect(() => checkStrength(request)).not.toThrow();
  });

  it.each([
    ['ε above 20', { ...asked, epsilon: 20.1 }, /next to nothing/],
    ['δ above 1/(10 × people)', { ...asked, delta: 1.1e-5, declaredPeople: 10_000 }, /δ ≤ 0\.00001/],
  ])('refuse %s', (_, request, message) => {
    expect(() => checkStrength(request)).toThrow(WeakGuaranteeError);
    expect(() => checkStrength(request)).toThrow(message);
  });
});

it('the δ that is named instead is not refused in its turn', () => {
  for (let people = 1; people < 1e9; people = Math.ceil(people * 1.37)) {
    const delta = largestDelta(people);
    expect(() => checkStrength({ ...asked, delta, declaredPeople: people })).not.toThrow();
    expect(delta * 10 * people).toBeGreaterThan(0.85);
  }
});

describe('an ε that no certificate could state', () => {
  it.each([
    [50, 1e-6],
    [20, 2 ** -100],
    [Infinity, 1e-6],
  ])('lets ε = %s at δ = %s through', (epsilon, delta) => {
    expect(() => checkCertifiable({ epsilon, delta })).not.toThrow();
  });

  it.each([
    [100, 1e-6],
    [50, 2 ** -100],
  ])('refuses ε = %s at δ = %s before the charge', (epsilon, delta) => {
    expect(() => checkCertifiable({ epsilon, delta })).toThrow(/cannot be certified/);
  });
});
