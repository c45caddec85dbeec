import { csrFromTriples } from '@hushrec/numerics';
import type { FeatureSource } from '@hushrec/ratings';
import { describe, expect, it } from 'vitest';
import { unusedSources } from './feature-files.js';

const byItem = csrFromTriples(1, 1, [0], [0]);
const genres: FeatureSource = { kind: 'categorical', name: 'genres.csv', fields: [] };
const near: FeatureSource = { kind: 'similarity', name: 'near.csv', byItem };

describe('unusedSources', () => {
  it('says which method learns nothing from which file', () => {
    const methods = [
      { id: 'als' },
      { id: 'hush', learnsFrom: ['categorical'] },
      { id: 'dp-cmf', learnsFrom: ['categorical', 'similarity', 'public-ratings'] },
    ] as const;
    expect(unusedSources(methods, [genres, near])).toEqual([
      'Not used: genres.csv, near.csv. als learns from no public features.',
      'Not used: near.csv. hush learns from categorical features only.',
    ]);
    expect(unusedSources(methods, [])).toEqual([]);
  });
});
