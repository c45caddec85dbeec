import { createHash, type Hash } from 'node:crypto';
import type { FeatureSource } from '@hushrec/ratings';

/**
 * What decides a run's statistics besides data set, method, settings and noise key: which part of the ratings is trained
 * on, and the content of public features. It is part of the job's key, so that a run resumed with another split or other
 * features is a new run and is charged.
 */
export function jobSelection(split: unknown, features: readonly FeatureSource[]): unknown {
  return {
    split: split ?? null,
    features: features.map((source) => {
      const hash = createHash('sha256');
      absorb(hash, source);
      return hash.digest('hex');
    }),
  };
}

/** Feeds a value to a hash, numbers of typed arrays as their bytes. */
function absorb(hash: Hash, value: unknown): void {
  if (ArrayBuffer.isView(value)) {
    hash.update(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  } else if (Array.isArray(value)) {
    hash.update(`[${value.length}`);
    for (const each of value) absorb(hash, each);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, each] of Object.entries(value)) {
      hash.update(JSON.stringify(key));
      absorb(hash, each);
    }
  } else hash.update(JSON.stringify(value) ?? 'undefined');
}
