import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

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
