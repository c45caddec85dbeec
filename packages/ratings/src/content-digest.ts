import { createHash, type Hash } from 'node:crypto';
import { updateInParts } from './hash-in-parts.js';

/**
 * SHA-256 of a value's content in hex: of numbers, text, lists, objects, and of typed arrays by their bytes.
 */
export function contentDigest(value: unknown): string {
  const hash = createHash('sha256');
  absorb(hash, value);
  return hash.digest('hex');
}

function absorb(hash: Hash, value: unknown): void {
  if (ArrayBuffer.isView(value)) {
    updateInParts(hash, value);
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
