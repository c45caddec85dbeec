import { createEngine } from '@hushrec/numerics';
import { describe, expect, it } from 'vitest';
import { generatedShape } from '../../harness/tasks.js';
import { measureVariant, type Variant } from './measure-variant.js';

describe('choices of people who choose little', () => {
  it('are recommended from at least as well as by popularity, which they were not before that rule', async () => {
    const engine = await createEngine({ threads: 1 });
    const context = {
      engine,
      seed: 1,
      quick: true,
      progress: () => {},
      signal: new AbortController().signal,
      store: { find: () => undefined, add: async () => {} },
    };
    const shape = { people: 10_000, items: 100, each: 4, steepness: 1, mean: 0, seed: 931 };
    const task = generatedShape('four each among 100', shape, context);
    const recall = async (variant: Partial<Variant>) =>
      (await measureVariant(context, task, { name: '', ...variant }, 5, 3)).mean;
    const popularity = await recall({ settings: { vectors: false } });
    expect(await recall({})).toBeGreaterThan(0.98 * popularity);
    expect(await recall({ rules: { mostUnchosen: 1 } })).toBeLessThan(0.98 * popularity);
    await engine.close();
  });
});
