import { describe, expect, it } from 'vitest';
import { orderFindings, stepBetween } from './variant-order.js';

describe('the order of variants', () => {
  it('pairs runs by seed, so that what seeds have in common does not count as error', () => {
    expect(stepBetween([1, 5, 9], [1.1, 5.12, 9.1])).toMatchObject({ step: 'up' });
    expect(stepBetween([1.1, 5.12, 9.1], [1, 5, 9])).toMatchObject({ step: 'down' });
    expect(stepBetween([1, 5, 9], [1.1, 4.9, 9.05])).toMatchObject({ step: 'tie' });
  });

  it('calls nothing certain after one run', () => {
    expect(stepBetween([1], [2])).toMatchObject({ step: 'tie', mean: 1 });
  });

  const verdicts = (...bySeed: number[][]) =>
    orderFindings(bySeed.map((values, at) => ({ name: `v${at}`, bySeed: values })))
      .slice(bySeed.length)
      .map(({ holds }) => holds);

  it('holds where every step is beyond the error, and neither holds nor fails with a tie', () => {
    expect(verdicts([1, 1.1], [2, 2.1], [3, 3.1])).toEqual([true, true, true]);
    expect(verdicts([1, 1.1], [2, 2.1], [2.1, 2])).toEqual([true, 'tie', 'tie']);
    expect(verdicts([1, 1.1], [2, 2.1], [1.5, 1.61])).toEqual([true, false, false]);
  });
});
