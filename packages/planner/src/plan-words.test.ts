import { expect, it } from 'vitest';
import { qualityWords } from './plan-words.js';

it('gives shares below a tenth with a decimal, others without, and none as nothing', () => {
  const words = (low: number, high: number) =>
    qualityWords({ feedback: 'likes' }, { low, high, from: ['a set'] });
  expect(words(-0.034, 0.345)).toBe(
    'Quality: −3.4% to 35% of the way from the bestseller list to a model without privacy (below 0: worse than that start), as on a set.',
  );
  expect(words(0.0004, 0.0961)).toContain('< 0.1% to 9.6% of the way');
  expect(words(0, 1)).toContain('0% to 100% of the way');
});

it('keeps the sets of a list apart', () => {
  const from = ['generated, 30,000 people, few ratings each', 'MovieLens 1M'];
  expect(qualityWords({ feedback: 'ratings' }, { low: 0.5, high: 1, from })).toMatch(
    /as on made-up data \(30,000 people, few ratings each\), MovieLens 1M\.$/,
  );
});
