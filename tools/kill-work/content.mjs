import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sampleStatement } from '../sample-certificate.mjs';

export const account = 'a'.repeat(32);
export const protection = { unit: 'user', relation: 'add-remove' };
export const scale = { min: 1, max: 5, step: 1 };

/** One of two files of ratings that differ in how many there are. */
export function ratingsFile(folder, which) {
  const file = join(folder, `ratings-${which}.csv`);
  const rows = Array.from(
    { length: 3000 + 1000 * which },
    (_, k) => `u${k % 97},i${(k * 7) % 211},${1 + (k % 5)}`,
  );
  if (!existsSync(file)) writeFileSync(file, `user,item,rating\n${rows.join('\n')}\n`);
  return file;
}

const items = 2000;
/** Two models that differ in their offset. */
export const models = [1, 2].map((offset) => ({
  manifest: {
    format: 'hushrec-model-2',
    method: 'dpals',
    settings: {},
    scale,
    itemIds: Array.from({ length: items }, (_, k) => String(k)),
    versions: {},
  },
  model: {
    kind: 'baseline',
    feedback: 'explicit',
    offset,
    itemBias: new Float32Array(items),
    userShrinkage: 1,
  },
  certificate: { ...sampleStatement, account },
}));
