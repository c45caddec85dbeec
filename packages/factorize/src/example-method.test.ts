import { readFileSync } from 'node:fs';
import { createEngine } from '@hushrec/numerics';
import { generateCatalogue } from '@hushrec/ratings';
import { expect, it } from 'vitest';
import { noisyPopularity } from './example-method.test.data.js';
import { trainModel } from './train.js';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

it('the method of docs/add-a-method.md is this one, and it trains', async () => {
  expect(read('../../../docs/add-a-method.md')).toContain(read('./example-method.test.data.ts').trim());
  const { ratings } = generateCatalogue({ users: 200, items: 20, ratings: 1500, seed: 1 });
  const engine = await createEngine({ threads: 1 });
  const target = { epsilon: 5, delta: 1e-6, seed: 1 };
  const { model, plan } = await trainModel({ method: noisyPopularity, ratings, engine, ...target });
  await engine.close();
  expect(plan.epsilon).toBe(5);
  expect(noisyPopularity.search).toEqual({ scale: { factor: 4 } });
  const bias = (model as { itemBias: Float32Array }).itemBias;
  const exact = new Float64Array(20);
  for (const item of ratings.byUser.indices) exact[item] += 1;
  const best = exact.indexOf(Math.max(...exact));
  expect(bias[best]).toBeGreaterThan(bias.reduce((sum, value) => sum + value, 0) / 20);
});
