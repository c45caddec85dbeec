import { open } from 'node:fs/promises';
import type { Dataset } from './rating-matrix.js';

const flushAt = 1 << 20;

/**
 * Writes ratings as CSV (`user,item,rating[,time]`, by user, with a header), ids quoted where they need it.
 * Reading it back with the same scale gives the same content hash. Memory: one block.
 */
export async function exportCsv(
  path: string,
  { ratings, userIds, itemIds }: Pick<Dataset, 'ratings' | 'userIds' | 'itemIds'>,
): Promise<void> {
  const { byUser, times } = ratings;
  const items = itemIds.map(quoted);
  const file = await open(path, 'wx');
  try {
    let text = times ? 'user,item,rating,time\n' : 'user,item,rating\n';
    for (const [user, id] of userIds.entries()) {
      const name = quoted(id);
      for (let k = byUser.offsets[user]; k < byUser.offsets[user + 1]; k++) {
        const rating = shortest(byUser.values[k]);
        text += times
          ? `${name},${items[byUser.indices[k]]},${rating},${times[k]}\n`
          : `${name},${items[byUser.indices[k]]},${rating}\n`;
      }
      if (text.length >= flushAt) {
        await file.write(text);
        text = '';
      }
    }
    await file.write(text);
  } finally {
    await file.close();
  }
}

/** A field of a CSV file. */
export function quoted(id: string): string {
  return /[",\r\n]/.test(id) ? `"${id.replaceAll('"', '""')}"` : id;
}

/** Shortest decimal that reads back as the same float32: 0.1, not 0.10000000149011612. */
export function shortest(value: number): string {
  for (let digits = 1; digits < 9; digits++) {
    const text = String(Number(value.toPrecision(digits)));
    if (Math.fround(Number(text)) === value) return text;
  }
  return String(value);
}
