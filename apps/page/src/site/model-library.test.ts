import type { PublishedModel } from '@hushrec/model';
import { expect, it } from 'vitest';
import { judgedNow } from './model-library.js';

it('takes a model for noise of which fewer titles stand out than a list is long, whatever it was called', () => {
  const published = (itemsAboveNoise: number) =>
    ({
      certificate: { usefulness: { items: 50, itemsAboveNoise, verdict: 'weak' } },
    }) as unknown as PublishedModel;
  expect(judgedNow(published(0)).certificate.usefulness?.verdict).toBe('too-noisy');
  expect(judgedNow(published(10)).certificate.usefulness?.verdict).toBe('weak');
});
