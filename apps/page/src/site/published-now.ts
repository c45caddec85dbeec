import type { ModelSummary } from './server-interface.js';

/** The newest model that protects people and is not all noise; without one, the most private of the rest. */
export function publishedNow(models: readonly ModelSummary[]): ModelSummary | undefined {
  const guarded = models.filter(({ epsilon, simulation }) => epsilon !== null && !simulation);
  return guarded.toSorted((a, b) => (a.publishedAt < b.publishedAt ? 1 : -1)).find(isUseful) ?? guarded[0];
}

export function isUseful({ usefulness }: Pick<ModelSummary, 'usefulness'>): boolean {
  return usefulness?.verdict !== 'too-noisy';
}
