import { describe, expect, it } from 'vitest';
import { RateLimiter } from './rate-limit.js';

describe('RateLimiter', () => {
  it('allows a burst, then so many a second, for each key on its own', () => {
    let now = 0;
    const limiter = new RateLimiter({ burst: 3, perSecond: 2 }, () => now);
    const taken = () => [1, 2, 3, 4, 5].filter(() => limiter.take('a')).length;
    expect(taken()).toBe(3);
    expect(limiter.isExhausted('a')).toBe(true);
    expect(limiter.take('b')).toBe(true);
    now = 1;
    expect(taken()).toBe(2);
    now = 100;
    expect(taken()).toBe(3);
  });

  it('forgets the oldest keys rather than growing without bound', () => {
    const limiter = new RateLimiter({ burst: 1, perSecond: 0 }, () => 0);
    limiter.take('first');
    for (let k = 0; k < 10_000; k++) limiter.take(`key ${k}`);
    expect(limiter.isExhausted('first')).toBe(false);
    expect(limiter.isExhausted('key 9999')).toBe(true);
  });
});
