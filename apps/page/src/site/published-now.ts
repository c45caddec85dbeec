import { isTooNoisy } from '@hushrec/model/usefulness';
import type { ModelSummary } from './server-interface.js';

/** The model that the operator named as published now; the newest is not published by being the newest. */
export function publishedNow(models: readonly ModelSummary[]): ModelSummary | undefined {
  return models.find(({ isPublishedNow }) => isPublishedNow);
}

/**
 * What is shown first: the one that is published now, else the newest that protects people and is not all
 * noise, of one day the most private; without one, the newest of the noisy ones.
 */
export function shownFirst(models: readonly ModelSummary[]): ModelSummary | undefined {
  const guarded = models
    .filter(({ epsilon, simulation }) => epsilon !== null && !simulation)
    .toSorted((a, b) => b.publishedAt.localeCompare(a.publishedAt) || a.epsilon! - b.epsilon!);
  return publishedNow(models) ?? guarded.find(isUseful) ?? guarded[0];
}

export function isUseful({ usefulness }: Pick<ModelSummary, 'usefulness'>): boolean {
  return usefulness === null || !isTooNoisy(usefulness);
}
