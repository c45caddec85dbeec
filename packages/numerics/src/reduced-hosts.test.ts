import { afterEach, describe, expect, it, vi } from 'vitest';

/** Loads the package anew on a host that lacks something. */
async function engineWithout(change: () => void, options = {}) {
  vi.resetModules();
  change();
  const { createEngine, csrFromTriples, zeroFactors, randomFactors } = await import('./index.js');
  const engine = await createEngine(options);
  const rows = csrFromTriples(2, 3, [0, 0, 1], [0, 2, 1], [1, -2, 3]);
  let seed = 0.1;
  const fixed = randomFactors(3, 5, 1, () => {
    seed = (seed * 7.13) % 1;
    return seed;
  });
  const out = zeroFactors(2, 5);
  await engine.solveRows({ rows, fixed, ridge: 0.5, out });
  await engine.close();
  return { engine, solution: [...out.data] };
}

describe('a host that lacks something still trains, and says so once', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });

  it('without SIMD: plain JavaScript', async () => {
    const full = await engineWithout(() => {}, { threads: 2, kernel: 'simd' });
    const { engine, solution } = await engineWithout(
      () => vi.spyOn(WebAssembly, 'validate').mockReturnValue(false),
      { threads: 2 },
    );
    expect(engine.description).toBe('scalar kernels, 2 threads');
    expect(engine.warnings).toEqual([expect.stringMatching(/no WebAssembly simd.*slower/)]);
    for (const [k, value] of solution.entries()) expect(value).toBeCloseTo(full.solution[k], 5);
  });

  it('without shared memory: plain JavaScript in one thread', async () => {
    const { engine, solution } = await engineWithout(() => {
      vi.stubGlobal('SharedArrayBuffer', undefined);
      vi.spyOn(WebAssembly, 'Memory').mockImplementation(function refuse() {
        throw new TypeError('shared memory is not enabled');
      });
    });
    expect(engine.description).toBe('scalar kernels, 1 thread');
    expect(engine.warnings.length).toBe(2);
    expect(engine.warnings.join(' ')).toMatch(/SharedArrayBuffer: training uses one thread/);
    expect(solution.every(Number.isFinite)).toBe(true);
  });

  it('without a second core: one thread', async () => {
    const { engine } = await engineWithout(() => {
      vi.doMock('node:os', () => ({ availableParallelism: () => 1 }));
    });
    vi.doUnmock('node:os');
    expect(engine.threads).toBe(1);
    expect(engine.warnings).toEqual(['This host has one core: training uses one thread.']);
  });

  it('but refuses kernels that were asked for by name and are not there', async () => {
    await expect(
      engineWithout(() => vi.spyOn(WebAssembly, 'validate').mockReturnValue(false), { kernel: 'simd' }),
    ).rejects.toThrow(/no WebAssembly simd. Use kernel "auto"/);
  });
});
