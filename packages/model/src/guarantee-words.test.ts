import { describe, expect, it } from 'vitest';
import {
  deltaWords,
  exceptionSentence,
  guaranteeSentences,
  guessingBound,
  percentWords,
  posteriorOf,
  promiseSentence,
  shownEpsilon,
  strengthOf,
} from './guarantee-words.js';

describe('the guarantee in words', () => {
  const user = {
    unit: 'user',
    relation: 'add-remove',
    released: 'item vectors',
    epsilon: 1,
    delta: 1e-6,
  } as const;

  it('says what 50% can become, for whom the promise is made to', () => {
    expect(promiseSentence(user)).toBe(
      'Someone who is 50% sure that you are in the data can become at most 73% sure by studying this model.',
    );
    expect(promiseSentence({ ...user, unit: 'rating-presence' })).toContain('that you rated this title');
    expect(promiseSentence({ ...user, epsilon: null })).toBeUndefined();
  });

  it('has δ in words where there are any', () => {
    expect(exceptionSentence(1e-6)).toBe('The exception has a chance of δ = one in a million.');
    expect(exceptionSentence(2.5e-6)).toBe('The exception has a chance of δ = about one in 400,000.');
    expect(exceptionSentence(0)).toBe('');
    expect([1e-6, 9.99999e-7, 0.01, 0].map(deltaWords)).toEqual(['1e-6', '1e-6', '0.01', '0']);
  });

  it.each([
    [0.25, 'strong'],
    [1, 'strong'],
    [1.01, 'clear'],
    [3, 'clear'],
    [8, 'weak'],
    [8.01, 'mostly formal'],
  ] as const)('ε = %d is %s on the ruler', (epsilon, strength) => expect(strengthOf(epsilon)).toBe(strength));

  it('agrees with the table of the ruler', () => {
    const at = (prior: number) =>
      [0.1, 0.5, 1, 3, 8].map((epsilon) => percentWords(posteriorOf(prior, epsilon)));
    expect(at(0.5)).toEqual(['52%', '62%', '73%', '95.3%', '> 99.9%']);
    expect(at(0.01)).toEqual(['1.1%', '1.6%', '2.7%', '17%', '96.8%']);
    expect([0.0994, 0.104, 0.946, 0.954].map(percentWords)).toEqual(['9.9%', '10%', '95%', '95.4%']);
    expect([0.001, 0.01, 0.05].map((epsilon) => percentWords(posteriorOf(0.5, epsilon)))).toEqual([
      '50%',
      '50.2%',
      '51%',
    ]);
    expect(guessingBound(1, 0)).toBeCloseTo(posteriorOf(0.5, 1), 12);
    expect(posteriorOf(0.5, 1000)).toBe(1);
  });

  it('never shows a smaller ε, or a smaller factor, than it is', () => {
    const [, , published] = guaranteeSentences({ ...user, epsilon: 1.00004 });
    expect(published).toContain('ε = 1.0001, ');
    // e^1.1 = 3.00417.
    expect(guaranteeSentences({ ...user, epsilon: 1.1 })[2]).toContain('e^ε ≈ 3.01 times');
    expect([1, 0.99996, null, Infinity].map((each) => shownEpsilon(each))).toEqual([
      '1',
      '0.99996',
      '∞',
      '∞',
    ]);
    expect(shownEpsilon(2.911, 2)).toBe('3');
  });

  it('does not promise where nothing is proved', () => {
    expect(guaranteeSentences({ ...user, epsilon: Infinity })[0]).toMatch(
      /^No privacy: item vectors are computed exactly/,
    );
    expect(guaranteeSentences({ ...user, released: 'exact item vectors', epsilon: null })[0]).toBe(
      'No privacy: item vectors are computed exactly and nobody is protected.',
    );
    const claimedByPaper = { claim: 'ε = 1', why: 'Its bound is read off the data.' };
    expect(guaranteeSentences({ ...user, epsilon: null, claimedByPaper })).toEqual([
      'No privacy guarantee: item vectors get the noise of the paper, for which no finite ε is proved.',
      'The paper claims ε = 1. Its bound is read off the data.',
      'Keep it for comparison; do not publish it.',
    ]);
    expect(guaranteeSentences({ ...user, epsilon: Infinity })).toHaveLength(2);
    expect(guaranteeSentences(user)).toHaveLength(3);
    expect(guaranteeSentences({ ...user, claimedByPaper }).at(-1)).toContain('What is proved differs.');
  });
});
