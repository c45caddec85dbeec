import { describe, expect, it } from 'vitest';
import type { ModelSummary } from '../server-interface.js';
import { dialStops, referenceFor } from './dial-stops.js';

const model = (id: string, epsilon: number | null, more: Partial<ModelSummary> = {}) =>
  ({
    id,
    epsilon,
    unit: epsilon === null ? 'none' : 'user',
    method: epsilon === null ? 'ease' : 'hush',
    simulation: false,
    usefulness: null,
    publishedAt: '2026-11-01',
    isPublishedNow: false,
    ...more,
  }) as ModelSummary;
const ids = (models: readonly ModelSummary[]) => models.map(({ id }) => id);

describe('the dial', () => {
  it('goes from no privacy to the strongest, with one model for each ε', () => {
    const models = [
      model('one', 1),
      model('one-again', 1),
      model('ten', 10),
      model('open', null),
      model('bestsellers', null, { method: 'popularity' }),
    ];
    expect(ids(dialStops(models, 'one'))).toEqual(['open', 'ten', 'one']);
    expect(ids(dialStops(models, 'one-again'))).toEqual(['open', 'ten', 'one-again']);
    expect(ids(dialStops(models, 'bestsellers'))).toEqual(['bestsellers', 'ten', 'one']);
  });

  it('has room for thirty models: the ends, the one that is shown, and a few between', () => {
    const many = Array.from({ length: 30 }, (_, k) => model(`m${k}`, 0.1 * 1.2 ** k));
    const stops = dialStops([...many, model('open', null)], 'm7');
    expect(stops).toHaveLength(6);
    expect(ids(stops)).toEqual(expect.arrayContaining(['open', 'm0', 'm7', 'm29']));
    const [, ...guarded] = stops.map(({ epsilon }) => epsilon ?? Infinity);
    expect(guarded).toEqual(guarded.toSorted((a, b) => b - a));
  });
});

describe('what a list is compared with', () => {
  it('is the one without privacy where there is one, else the next larger ε of the same unit', () => {
    const guarded = [
      model('one', 1),
      model('rating', 2, { unit: 'rating-value' }),
      model('three', 3),
      model('ten', 10),
    ];
    const open = model('open', null);
    expect(referenceFor([...guarded, open], guarded[0])?.id).toBe('open');
    expect(referenceFor(guarded, guarded[0])?.id).toBe('three');
    expect(referenceFor(guarded, guarded[3])).toBeUndefined();
    expect(referenceFor([...guarded, open], open)).toBeUndefined();
    // Bestsellers have no taste to compare with.
    expect(
      referenceFor([guarded[0], model('same', null, { method: 'popularity' })], guarded[0]),
    ).toBeUndefined();
  });
});
