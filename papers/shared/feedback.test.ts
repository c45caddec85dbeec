import '@hushrec/papers/register';
import { methodById, settingsForFeedback, trainingScale } from '@hushrec/factorize';
import { describe, expect, it } from 'vitest';

const stars = { min: 1, max: 5, step: 1 };
const choices = trainingScale(stars, 4);

describe('the kind of feedback', () => {
  it('is choices where only likes are kept', () => {
    expect(trainingScale(stars, undefined)).toBe(stars);
    expect(choices).toEqual({ min: 1, max: 1, step: 1 });
  });

  it('is refused where no rating could be a like', () => {
    expect(() => trainingScale(stars, 5.5)).toThrow('Likes from 5.5 on would leave nothing');
    expect(() => trainingScale(stars, Number.NaN)).toThrow('would leave nothing');
    expect(trainingScale(stars, 5)).toEqual(choices);
  });

  it('tells methods that know both, and leaves what was given', () => {
    const both = methodById('hush');
    expect(settingsForFeedback(both, stars, { rank: '4' })).toEqual({ rank: '4' });
    expect(settingsForFeedback(both, choices, { rank: '4' })).toEqual({ rank: '4', feedback: 'implicit' });
    expect(settingsForFeedback(both, choices, { feedback: 'explicit' })).toEqual({ feedback: 'explicit' });
    expect(settingsForFeedback(methodById('ials'), choices, {})).toEqual({});
  });

  it('refuses to predict ratings where there are none', () => {
    expect(() => settingsForFeedback(methodById('als'), choices, {})).toThrow(/als predicts ratings/);
  });

  it.each([
    ['als', 'ials, ease, knn, popularity, cmf learn'],
    ['private-sgd', 'dpimf, dplcf, ldpicf learn'],
  ])('names methods beside %s that learn from choices and protect as much', (id, words) => {
    expect(() => settingsForFeedback(methodById(id), choices, {})).toThrow(words);
  });
});
