import { calibrate } from '@hushrec/privacy';
import { describe, expect, it } from 'vitest';
import { guaranteeText } from './guarantee-text.js';

const release = (name: string, share: number) =>
  ({ name, mechanism: { kind: 'gaussian' }, sensitivity: 2, count: 1, share }) as const;
const plan = calibrate(
  {
    unit: 'user',
    relation: 'add-remove',
    released: 'item vectors',
    releases: [release('counts', 0.2), release('vectors-round-1', 0.3), release('vectors-round-2', 0.5)],
  },
  { epsilon: 1, delta: 1e-6 },
);

describe('the guarantee in words', () => {
  it('says who is protected, by how much, and what will be released', () => {
    const text = guaranteeText(plan, false);
    expect(text).toMatch(
      /^Protected: the presence or absence of one person with all of her data\.\nε = 1, δ = 1e-6 \(/,
    );
    expect(text).toContain('Released: item vectors.');
    expect(text).toContain(
      'that you are in the data can become at most 73% sure by studying this model. The exception has a chance of δ = one in a million.',
    );
    expect(text).toMatch(/counts +1 × {2}gaussian, noise [\d.]+ against sensitivity 2/);
    expect(text).toMatch(/vectors +2 × {2}gaussian, noise [\d.]+ falling to [\d.]+/);
    expect(text).not.toMatch(/SIMULATION|nominal/);
  });

  it('says that a seed protects nobody', () => {
    expect(guaranteeText(plan, true)).toContain('SIMULATION');
  });

  it('puts the true ε beside a nominal one', () => {
    const text = guaranteeText(plan, false, { epsilon: 0.5, accounting: 'as-published' });
    expect(text).toContain('a nominal ε = 0.5 by as-published accounting; the true ε of that noise is 1.');
  });

  it('says when there is none', () => {
    const none = { ...plan, epsilon: Infinity };
    expect(guaranteeText(none, false)).toBe(
      'No privacy: item vectors are computed exactly and nobody is protected.\nKeep it for comparison; do not publish it.',
    );
  });

  it('tells noise without a proof from no noise', () => {
    const claimedByPaper = { claim: '1-differential privacy', why: 'Its bound is read off the data.' };
    expect(guaranteeText({ ...plan, epsilon: Infinity, claimedByPaper }, false).split('\n')).toEqual([
      'No privacy guarantee: item vectors get the noise of the paper, for which no finite ε is proved.',
      'The paper claims 1-differential privacy. Its bound is read off the data.',
      'Keep it for comparison; do not publish it.',
    ]);
  });
});
