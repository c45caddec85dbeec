import { isOnScale, type RatingScale } from '@hushrec/ratings';
import { BLOCK_ENTRIES, BlockWriter, blockName, isStorable } from '../blocks/block.js';

/** What packing needs besides the rows. */
export interface PackOptions {
  readonly scale: RatingScale;
  /** Base64 of the id of every item, in the order of their numbers. */
  readonly items: readonly string[];
  readonly entriesPerBlock?: number;
}

/**
 * Packs sorted rows into blocks of whole people: rows of (user, item, rating, time; ids in base64, sorted by
 * user, item and time) in, rows of (name, people, ratings, bad rows, repeated pairs, pairs whose later rating
 * is unknown, block in base64) out. Of a pair that occurs twice the latest is kept; where two differ at the
 * same time, or without times, that is counted and the import refused.
 */
export async function packPeople(
  rows: AsyncIterable<readonly string[]>,
  { scale, items, entriesPerBlock = BLOCK_ENTRIES }: PackOptions,
  write: (...fields: readonly string[]) => Promise<void>,
): Promise<void> {
  const numbers = new Map(items.map((id, number) => [id, number]));
  const writer = new BlockWriter(scale, items.length);
  let counts = { bad: 0, repeated: 0, unclear: 0 };
  let user: string | undefined;
  let own: { item: number; rating: number; time: string }[] = [];
  const endBlock = async () => {
    const { people, entries } = writer;
    const block = people === 0 ? Buffer.alloc(0) : writer.take();
    const { bad, repeated, unclear } = counts;
    counts = { bad: 0, repeated: 0, unclear: 0 };
    if (people === 0 && bad === 0) return;
    const name = people === 0 ? '' : blockName(block);
    await write(name, ...[people, entries, bad, repeated, unclear].map(String), block.toString('base64'));
  };
  const endPerson = async () => {
    if (user === undefined || own.length === 0) return;
    // By item number, not by text; the sort is stable, so times stay in order.
    own.sort((a, b) => a.item - b.item);
    const kept: typeof own = [];
    for (const each of own) {
      const before = kept.at(-1);
      if (before?.item !== each.item) {
        kept.push(each);
        continue;
      }
      counts.repeated++;
      if (before.time === each.time && before.rating !== each.rating) counts.unclear++;
      kept[kept.length - 1] = each;
    }
    writer.add(
      Buffer.from(user, 'base64').toString('utf8'),
      kept.map(({ item }) => item),
      kept.map(({ rating }) => rating),
    );
    if (writer.entries >= entriesPerBlock) await endBlock();
  };
  for await (const [id, itemId, rating, time] of rows) {
    if (id !== user) {
      await endPerson();
      user = id;
      own = [];
    }
    const item = numbers.get(itemId);
    const value = rating === '' || rating === NULL ? Number.NaN : Number(rating);
    if (id === NULL || item === undefined || !isOnScale(value, scale) || !isStorable(value, scale))
      counts.bad++;
    else own.push({ item, rating: value, time });
  }
  await endPerson();
  await endBlock();
}

/** How Spark writes null to a script. */
const NULL = '\\N';
