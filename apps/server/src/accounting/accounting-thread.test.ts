import { afterAll, expect, it } from 'vitest';
import type { DatasetEntry } from '../catalogue/dataset-catalogue.js';
import { AccountingThread } from './accounting-thread.js';

const dataset = {
  id: 'any',
  path: '/nowhere',
  manifest: {
    account: { id: 'a'.repeat(32), name: 'any' },
    items: 100,
    scale: { min: 1, max: 5, step: 1 },
    features: [],
    provenance: {},
  },
} as unknown as DatasetEntry;
const quick = { dataset: 'any', model: 'm', method: 'als', settings: {} };
/** Takes seconds to compose. */
const slow = {
  dataset: 'any',
  model: 'm',
  method: 'dp-sgd',
  epsilon: 1,
  delta: 1e-6,
  settings: { samplingRate: 0.01 },
};
const threads: AccountingThread[] = [];
const threadOf = (limitMs: number) => {
  const thread = new AccountingThread(limitMs);
  threads.push(thread);
  return thread;
};
afterAll(async () => {
  for (const thread of threads) await thread.close();
});

it('does not count the time it takes to load', async () => {
  // Loading takes hundreds of milliseconds, an answer less than one of these.
  const thread = threadOf(250);
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => thread.ask('planPreview', dataset, quick, undefined)),
  );
  expect(answers.map(({ epsilon }) => epsilon)).toEqual([null, null, null, null, null]);
});

it('refuses what takes too long, and asks the others again', async () => {
  const thread = threadOf(150);
  await thread.ask('planPreview', dataset, quick, undefined);
  const [first, second] = await Promise.allSettled([
    thread.ask('planPreview', dataset, slow, undefined),
    thread.ask('planPreview', dataset, quick, undefined),
  ]);
  expect(first).toMatchObject({ status: 'rejected', reason: { problem: { status: 503 } } });
  expect(second).toMatchObject({ status: 'fulfilled', value: { epsilon: null } });
});
