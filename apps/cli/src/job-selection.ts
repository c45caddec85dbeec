import type { FeatureSource } from '@hushrec/ratings';

/**
 * What decides a run's statistics besides data set, method, settings and noise key: which part of the ratings is trained
 * on, and the content of public features. It is part of the job's key, so that a run resumed with another split or other
 * features is a new run and is charged.
 */
export async function jobSelection(split: unknown, features: readonly FeatureSource[]): Promise<unknown> {
  const { contentDigest } = await import('@hushrec/ratings');
  return { split: split ?? null, features: features.map(contentDigest) };
}
