import type { ReleasedValue, ReleaseRequest } from '@hushrec/privacy';
import { describe, expect, it } from 'vitest';
import { ReleaseChannel } from './release-channel.js';

const request = (part: number, length = 2): ReleaseRequest => ({
  kind: 'numbers',
  release: 'sums',
  occurrence: 0,
  part,
  length,
  gridStep: 1,
  layout: { kind: 'vector' },
});
const value = (...values: number[]): ReleasedValue => ({
  kind: 'numbers',
  values: Float64Array.from(values),
});

describe('the channel between two runs', () => {
  it('hands on what was released, whoever comes first and in any order of parts', async () => {
    const channel = new ReleaseChannel();
    const early = channel.answer(request(1));
    await channel.put(request(0), value(1, 2));
    await channel.put(request(1), value(3, 4));
    expect(await channel.answer(request(0))).toEqual(value(1, 2));
    expect(await early).toEqual(value(3, 4));
    expect(channel.leftOver).toBeUndefined();
  });

  it('refuses a request of another form', async () => {
    const channel = new ReleaseChannel();
    await channel.put(request(0), value(1, 2));
    await expect(channel.answer(request(0, 3))).rejects.toThrow(/asked for/);
  });

  it('refuses what was never released, and knows what was never asked for', async () => {
    const channel = new ReleaseChannel();
    const waiting = channel.answer(request(5));
    await channel.put(request(0), value(1, 2));
    channel.end();
    await expect(waiting).rejects.toThrow(/never released/);
    await expect(channel.answer(request(6))).rejects.toThrow(/never released/);
    expect(channel.leftOver).toMatchObject({ part: 0 });
  });

  it('lets the first run wait while the second is behind, and never when that waits itself', async () => {
    const channel = new ReleaseChannel();
    const large = value(...new Float64Array(1));
    const huge: ReleasedValue = { kind: 'numbers', values: new Float64Array(2 ** 23 + 1) };
    let free = false;
    const put = channel.put(request(0), huge).then(() => {
      free = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(free).toBe(false);
    await channel.answer(request(0));
    await put;
    const waiting = channel.answer(request(9));
    await channel.put(request(1), huge);
    await channel.put(request(9), large);
    await waiting;
  });

  it('tells the first run when the second has failed', async () => {
    const channel = new ReleaseChannel();
    channel.leave(new Error('the twin fell'));
    await expect(channel.put(request(0), value(1))).rejects.toThrow('the twin fell');
  });
});
