import type { FeatureSource } from '@hushrec/ratings';
import { describe, expect, it } from 'vitest';
import { jobSelection } from './job-selection.js';

const source = (values: number[]): FeatureSource => ({
  kind: 'similarity',
  name: 'tags',
  byItem: {
    rowCount: 1,
    columnCount: 2,
    offsets: Uint32Array.of(0, values.length),
    indices: Uint32Array.of(0, 1),
    values: Float32Array.from(values),
  },
});

describe('what a job is trained on', () => {
  it('is the same for the same split and features, and differs with either', async () => {
    const selected = async (split: unknown, features: readonly FeatureSource[]) =>
      JSON.stringify(await jobSelection(split, features));
    const same = await selected({ protocol: 'holdout', seed: 1 }, [source([1, 2])]);
    expect(await selected({ protocol: 'holdout', seed: 1 }, [source([1, 2])])).toBe(same);
    expect(await selected({ protocol: 'holdout', seed: 2 }, [source([1, 2])])).not.toBe(same);
    expect(await selected({ protocol: 'holdout', seed: 1 }, [source([1, 3])])).not.toBe(same);
    expect(await selected(undefined, [])).toBe('{"split":null,"features":[]}');
  });
});
