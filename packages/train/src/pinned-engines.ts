import { createEngine, type Engine } from '@hushrec/numerics';

export interface PinnedEngines {
  readonly engine: Engine;
  /** Of the run without data beside it: the same kernel, in this thread. */
  readonly twinEngine: Engine;
  readonly kernel: 'simd' | 'scalar';
}

/**
 * The engines of a run and of its twin. The kernel is pinned, because others round differently, and a model
 * must be repeatable from its releases on any host.
 */
export async function pinnedEngines(threads: number | undefined): Promise<PinnedEngines> {
  const simd = await createEngine({ kernel: 'simd', threads: 1 }).catch(() => undefined);
  const kernel = simd === undefined ? 'scalar' : 'simd';
  const twinEngine = simd ?? (await createEngine({ kernel, threads: 1 }));
  try {
    const engine = await createEngine({ kernel, ...(threads !== undefined && { threads }) });
    return { engine, twinEngine, kernel };
  } catch (error) {
    await twinEngine.close();
    throw error;
  }
}
