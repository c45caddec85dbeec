import '@hushrec/papers/register';
import { methodById, planRun } from '@hushrec/factorize';
import type { FeatureSource } from '@hushrec/ratings';
import { describe, expect, it } from 'vitest';
import { measuredOnce, sameMethodsText } from './same-methods.js';

const genres: FeatureSource = {
  kind: 'categorical',
  name: 'genres.csv',
  fields: [
    { name: 'genre', tokens: ['a'], byItem: { rowCount: 1, columnCount: 1, offsets: [0, 1], indices: [0] } },
  ],
} as unknown as FeatureSource;

const of = (
  ids: readonly string[],
  features: readonly FeatureSource[] = [],
  settings: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {},
) => {
  const compared = ids.map((id) => {
    const scale = { min: 1, max: 5, step: 1 };
    const request = { method: id, itemCount: 1, scale, features, epsilon: 1, delta: 1e-5 };
    return { planned: planRun({ ...request, settings: settings[id] ?? {}, seed: 1 }) };
  });
  const { measured, same } = measuredOnce(compared, (id) => methodById(id).settings, features);
  return { measured: measured.map(({ planned }) => planned.method.id), same, text: sameMethodsText(same) };
};

describe('methods that are the same', () => {
  it('are measured once, under the name of the one they are', () => {
    const { measured, text } = of(['am-ssp', 'dp-cmf', 'hush', 'dpals']);
    expect(measured).toEqual(['dpals', 'hush']);
    expect(text).toEqual([
      'am-ssp and dp-cmf are dpals here, for want of facts about items (--features): measured once, as dpals.',
    ]);
    expect(of(['am-ssp', 'dp-cmf']).measured).toEqual(['am-ssp']);
  });

  it('are measured apart with features, or where their settings differ', () => {
    expect(of(['am-ssp', 'dpals'], [genres])).toEqual({ measured: ['am-ssp', 'dpals'], same: [], text: [] });
    expect(of(['am-ssp', 'dpals'], [], { 'am-ssp': { rank: 3 } }).same).toEqual([]);
    expect(of(['am-ssp', 'dpals'], [], { dpals: { project: false } }).same).toEqual([]);
    expect(of(['am-ssp', 'dpals'], [], { 'am-ssp': { optimizer: 'adam' } }).same).toEqual([]);
  });
});
