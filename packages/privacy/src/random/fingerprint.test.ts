import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { examine, examineHere, fingerprint } from './fingerprint.js';
import { noiseKernel } from './noise-kernel.js';

describe('fingerprint', () => {
  it('changes with any single value, its sign and its place', () => {
    const base = Float64Array.from({ length: 1000 }, (_, i) => i % 7);
    const seen = new Set([fingerprint(base)]);
    for (let i = 0; i < 1000; i++) {
      const changed = base.slice();
      changed[i]! += 1;
      seen.add(fingerprint(changed));
    }
    expect(seen.size).toBe(1001);
    expect(fingerprint(Float64Array.of(1, 2))).not.toBe(fingerprint(Float64Array.of(2, 1)));
    expect(fingerprint(Float64Array.of(1))).not.toBe(fingerprint(Float64Array.of(-1)));
    expect(fingerprint(Float64Array.of(0))).not.toBe(fingerprint(Float64Array.of(0, 0)));
  });

  it('is the same by the reference code and by the WebAssembly kernel, over several batches too', () => {
    const kernel = noiseKernel()!;
    for (const length of [0, 1, 2, 3, 4, 5, 1001, 16384, 16387, 50_002]) {
      const values = Float64Array.from({ length }, (_, i) => (i * 7919) % 10007);
      const states = [new Int32Array(16).fill(3), new Int32Array(16).fill(3)] as const;
      expect(kernel.examine(values, 1e5, states[0])).toBe(examineHere(values, 1e5, states[1]));
      expect(states[0]).toEqual(states[1]);
    }
  });

  it('comes with the answer whether all numbers are whole and within the limit', () => {
    const bad = [0.5, 1e300, Number.NaN, Infinity, -Infinity, 1025, -1025, 2 ** -1074];
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 30 }), fc.constantFrom(...bad), (at, value) => {
        const values = Float64Array.from({ length: 31 }, (_, i) => (i - 15) * 64);
        expect(examine(values, 1024).onGrid).toBe(true);
        values[at] = value;
        expect(examine(values, 1024).onGrid).toBe(false);
        expect(examineHere(values, 1024, new Int32Array(16))).toBe(false);
      }),
    );
  });
});
