import { memoryOutcomeStore } from '@hushrec/evaluate';
import { createEngine } from '@hushrec/numerics';
import { generateCatalogue } from '@hushrec/ratings';
import { expect, it } from 'vitest';
import { FoldRunner } from './fold-runner.js';

it('trains the paper’s methods in its threads, which know them by name', async () => {
  const { ratings, userIds, itemIds } = generateCatalogue({ users: 60, items: 20, ratings: 600, seed: 1 });
  const engine = await createEngine({ threads: 1 });
  const context = { seed: 1, engine, store: memoryOutcomeStore(), signal: new AbortController().signal };
  const runner = new FoldRunner('small', { ratings, userIds, itemIds }, context);
  try {
    const request = { method: 'private-global-effects', settings: {}, epsilon: 5, folds: [0], runs: 1 };
    const [error] = await runner.errors(request);
    expect(error.rmse).toBeGreaterThan(0);
    expect(error.rmse).toBeLessThan(2);
  } finally {
    await runner.close();
    await engine.close();
  }
});
