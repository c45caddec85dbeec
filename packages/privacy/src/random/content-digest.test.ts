import { afterEach, describe, expect, it, vi } from 'vitest';
import { areWhole, contentDigest, contentDigestHere } from './content-digest.js';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

describe('the digest of what noise is added to', () => {
  it('changes with any single value, its sign, its place and the length', () => {
    const base = Float64Array.from({ length: 200 }, (_, i) => i % 7);
    const seen = new Set([contentDigest(base)]);
    for (let i = 0; i < 200; i++) {
      const changed = base.slice();
      changed[i] += 1;
      seen.add(contentDigest(changed));
    }
    expect(seen.size).toBe(201);
    expect(contentDigest(Float64Array.of(1, 2))).not.toBe(contentDigest(Float64Array.of(2, 1)));
    expect(contentDigest(Float64Array.of(1))).not.toBe(contentDigest(Float64Array.of(-1)));
    expect(contentDigest(Float64Array.of(0))).not.toBe(contentDigest(Float64Array.of(0, 0)));
    expect(contentDigest(Float64Array.of(1), Float64Array.of(2))).not.toBe(
      contentDigest(Float64Array.of(1, 2)),
    );
  });

  it('is the same by the platform and by our own code', () => {
    for (const length of [0, 1, 7, 8, 9, 1001]) {
      const values = Float64Array.from({ length }, (_, i) => (i * 7919) % 10007);
      const columns = Uint32Array.from({ length }, (_, i) => i);
      expect(contentDigest(columns, values)).toBe(contentDigestHere(columns, values));
    }
  });

  it('is the same where the host has no hash that answers at once, as in a browser', async () => {
    const values = Float64Array.of(1, 2, -3);
    vi.stubGlobal('process', { ...process, getBuiltinModule: undefined });
    vi.resetModules();
    const inBrowser = await import('./content-digest.js');
    expect(inBrowser.contentDigest(values)).toBe(contentDigest(values));
  });

  it('uses the host’s where there is one', async () => {
    const asked: string[] = [];
    const crypto = process.getBuiltinModule('node:crypto');
    const getBuiltinModule = () => {
      const createHash = (algorithm: string) => {
        asked.push(algorithm);
        return crypto.createHash(algorithm);
      };
      return { ...crypto, createHash };
    };
    vi.stubGlobal('process', { ...process, getBuiltinModule });
    vi.resetModules();
    const onHost = await import('./content-digest.js');
    expect(onHost.contentDigest(Float64Array.of(7))).toBe(contentDigest(Float64Array.of(7)));
    expect(asked).toEqual(['sha256']);
  });

  it('comes with a check that all numbers are whole and within a limit', () => {
    const values = Float64Array.from({ length: 31 }, (_, i) => (i - 15) * 64);
    expect(areWhole(values, 1024)).toBe(true);
    for (const bad of [0.5, 1e300, Number.NaN, Infinity, -Infinity, 1025, -1025, 2 ** -1074]) {
      for (const at of [0, 13, 30]) {
        const changed = values.slice();
        changed[at] = bad;
        expect(areWhole(changed, 1024)).toBe(false);
      }
    }
  });
});
