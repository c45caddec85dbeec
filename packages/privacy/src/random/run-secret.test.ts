import { describe, expect, it } from 'vitest';
import { freshSecret, RunSecret, WeakSecretError } from './run-secret.js';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const key = Uint8Array.from({ length: 32 }, (_, i) => 7 * i + 1);

describe('the secret of a run', () => {
  it('is fresh unless a seed is given, and then depends on the seed and its type', () => {
    const noise = (secret: RunSecret) => hex(secret.noiseKey('counts', 0, []));
    expect(noise(new RunSecret())).not.toBe(noise(new RunSecret()));
    expect(noise(new RunSecret({ seed: 0 }))).toBe(noise(new RunSecret({ seed: 0 })));
    expect(new Set([0, 1, '0', ''].map((seed) => noise(new RunSecret({ seed })))).size).toBe(4);
    expect([new RunSecret().simulation, new RunSecret({ seed: 0 }).simulation]).toEqual([false, true]);
  });

  it('gives other noise for every component, and cannot be confused by joining', () => {
    const secrets = [{}, { job: 'a' }, { identity: 'a' }, { job: 'a', identity: 'a' }];
    const keys = secrets.flatMap((options) => {
      const secret = new RunSecret({ key, ...options });
      return [
        secret.noiseKey('counts', 0, []),
        secret.noiseKey('counts', 1, []),
        secret.noiseKey('count', 0, ['s']),
        secret.noiseKey('counts', 0, ['a']),
        secret.noiseKey('counts', 0, ['a', '']),
      ].map(hex);
    });
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('keeps purposes apart: noise, coins, names and the public start share no key', () => {
    const secret = new RunSecret({ key });
    const keys = [
      secret.noiseKey('x', 0, []),
      secret.coinKey('x', 0),
      secret.coinKey('x', 1),
      secret.personKey(),
    ];
    expect(new Set(keys.map(hex)).size).toBe(4);
    expect(Number.isSafeInteger(secret.publicSeed())).toBe(true);
    expect(secret.publicSeed()).toBe(new RunSecret({ key }).publicSeed());
  });

  it('binds noise to the data, and coins to the run alone', () => {
    const [a, b] = ['one', 'other'].map((identity) => new RunSecret({ key, identity })) as [
      RunSecret,
      RunSecret,
    ];
    expect(hex(a.noiseKey('x', 0, []))).not.toBe(hex(b.noiseKey('x', 0, [])));
    expect(hex(a.coinKey('x', 0))).toBe(hex(b.coinKey('x', 0)));
  });

  it.each([
    ['nothing, as a full disk leaves it', new Uint8Array(0)],
    ['a part', freshSecret().subarray(0, 31)],
    ['too much', new Uint8Array(33)],
    ['zeros', new Uint8Array(32)],
    ['text that repeats', new TextEncoder().encode('secretsecretsecretsecretsecretse')],
  ])('refuses %s', (_, bytes) => {
    expect(() => new RunSecret({ key: bytes })).toThrow(WeakSecretError);
  });

  it('takes either a seed or a key', () => {
    expect(() => new RunSecret({ key, seed: 1 })).toThrow(TypeError);
  });

  it('is not changed by who gave it', () => {
    const own = key.slice();
    const secret = new RunSecret({ key: own });
    const before = hex(secret.coinKey('x', 0));
    own.fill(1);
    expect(hex(secret.coinKey('x', 0))).toBe(before);
  });
});
