import { expect, it } from 'vitest';
import { sameAtOtherDelta, spentWords } from './same-at-other-delta.js';

it('says why a run of ε = 10 is 9.08 in the account, rounded up', () => {
  expect(sameAtOtherDelta({ epsilon: 10, delta: 1e-6 }, { epsilon: 9.0712, delta: 1e-5 })).toBe(
    'The account counts at δ = 1e-5: ε = 10 at δ = 1e-6 is 9.08 there.',
  );
});

it('says what an account has spent, never less than it is, and at which δ', () => {
  expect(spentWords(1.2341, 1e-6)).toBe('ε = 1.24 at δ = 1e-6');
});
