import { roundUpEpsilon, tightestEpsilon } from '@hushrec/privacy';
import { expect, it } from 'vitest';
import type { CertifiedRelease } from './certificate.js';
import { eventOfReleases } from './certified-release.js';
import { exampleStatement } from './example-model.test.data.js';
import { accountingChecks } from './recompute.js';

const line = { name: 'sums', sensitivity: 1, count: 4 } as const;

/** The checks of a certificate that states what its releases cost. */
function checksOf(release: CertifiedRelease, delta: number) {
  const { epsilon, accountant } = tightestEpsilon(eventOfReleases([release]), delta);
  const claim = { epsilon: roundUpEpsilon(epsilon), delta, accountant, releases: [release] };
  return {
    accountant,
    checks: accountingChecks({ ...exampleStatement, ...claim } as typeof exampleStatement),
  };
}

it.each([
  ['gaussian-dp', 'pld', { ...line, mechanism: 'gaussian', noise: 4 }, 1e-6],
  ['pld', 'rdp', { ...line, mechanism: 'poisson-sampled-gaussian', noise: 4, rate: 0.1 }, 1e-6],
  ['pure', 'rdp', { ...line, mechanism: 'laplace', noise: 40 }, 2 ** -100],
] as const)('what %s found is asked of another accountant: %s', (first, second, release, delta) => {
  const { accountant, checks } = checksOf(release as CertifiedRelease, delta);
  expect(accountant).toBe(first);
  expect(checks.map(({ ok }) => ok)).toEqual([true, true]);
  expect(checks[1]?.detail).toMatch(new RegExp(`^${second}\\b.* puts ε between`));
});

it('a claim that the releases cost more than, or less than, is none', () => {
  const claimed = (epsilon: number) => accountingChecks({ ...exampleStatement, epsilon });
  expect(claimed(9.99726).every(({ ok }) => ok)).toBe(true);
  expect(claimed(9.9)[0]?.detail).toMatch(/9\.9 is promised, but the releases cost 9\.997/);
  expect(claimed(10.1)[0]?.detail).toMatch(/10\.1 is stated, but the releases cost only 9\.997/);
});
