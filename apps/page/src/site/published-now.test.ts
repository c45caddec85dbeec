import { expect, it } from 'vitest';
import { publishedNow, shownFirst } from './published-now.js';
import type { ModelSummary } from './server-interface.js';

const model = (id: string, day: string, more: Partial<ModelSummary> = {}) =>
  ({ id, epsilon: 1, publishedAt: day, usefulness: null, isPublishedNow: false, ...more }) as ModelSummary;
const usefulness = (itemsAboveNoise: number) =>
  ({ usefulness: { items: 50, itemsAboveNoise, verdict: 'weak' } }) as unknown as Partial<ModelSummary>;

it('takes for published what an operator named, and nothing else', () => {
  const models = [model('old', '2026-01-01', { isPublishedNow: true }), model('new', '2026-02-01')];
  expect(publishedNow(models)?.id).toBe('old');
  expect(shownFirst(models)?.id).toBe('old');
  expect(publishedNow(models.slice(1))).toBeUndefined();
});

it('shows the newest first that is more than noise, of one day the most private', () => {
  const noisy = model('noisy', '2026-03-01', usefulness(0));
  const models = [
    model('weaker', '2026-02-01', { epsilon: 3, ...usefulness(12) }),
    model('stronger', '2026-02-01', { epsilon: 0.5, ...usefulness(12) }),
    noisy,
    model('open', '2026-04-01', { epsilon: null }),
    model('simulated', '2026-04-01', { simulation: true }),
  ];
  expect(shownFirst(models)?.id).toBe('stronger');
  expect(shownFirst([noisy])?.id).toBe('noisy');
  expect(shownFirst([])).toBeUndefined();
});
