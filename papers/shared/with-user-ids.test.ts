import { trainModel, UserIdsMismatchError, withUserIds } from '@hushrec/factorize';
import { createEngine } from '@hushrec/numerics';
import { smallRatings } from '@hushrec/testing';
import { describe, expect, it } from 'vitest';
import '@hushrec/papers/register';

const ratings = smallRatings(6, 5, 3);
const ids = ['ann', 'bo', 'cy', 'di', 'ed', 'flo'];

async function trained(method: string, settings: Record<string, string> = {}) {
  const engine = await createEngine({ threads: 1 });
  try {
    return (await trainModel({ method, settings, ratings, epsilon: 5, delta: 0, engine, seed: 1 })).model;
  } finally {
    await engine.close();
  }
}

describe('ids of published users', () => {
  it.each([
    ['private-global-effects', {}],
    ['input-perturbation', {}],
    ['dpimf', { side: 'user', rank: '2' }],
  ])('%s: row numbers give way to the names of the data set', async (method, settings) => {
    const before = await trained(method, settings);
    const after = withUserIds(before, ids);
    if (before.kind === 'neighbours' || after.kind === 'neighbours') throw new TypeError(method);
    expect(before.users?.ids).toEqual(['0', '1', '2', '3', '4', '5']);
    expect(after.users).toEqual({ ...before.users, ids });
    expect(() => withUserIds(before, ids.slice(1))).toThrow(UserIdsMismatchError);
  });

  it('leaves models without published users as they are', async () => {
    const model = await trained('dplcf');
    expect(withUserIds(model, ids)).toBe(model);
  });
});
