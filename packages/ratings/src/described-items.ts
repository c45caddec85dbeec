import { featuresForItems } from './append-rows.js';
import type { FeatureTable } from './features/feature-table.js';
import { type ItemTable, readItemTable } from './features/item-table.js';
import type { ItemFacts } from './formats/rating-format.js';
import type { Dataset, FeatureSource } from './rating-matrix.js';

/** What is public about the items of a data set. */
export interface DescribedItems {
  readonly itemTitles: readonly string[];
  readonly itemLinks?: readonly string[];
  readonly itemImages?: readonly string[];
  readonly features: readonly FeatureSource[];
  /** The table about items; absent without one. */
  readonly table: ItemTable | undefined;
}

/**
 * What is known of items: by a table of them, by what lies beside the ratings, and by the data set that is
 * appended to, the first that says something.
 */
export async function describedItems(
  itemIds: readonly string[],
  given: string | FeatureTable | undefined,
  beside: ItemFacts | undefined,
  existing: Dataset | undefined,
): Promise<DescribedItems> {
  const table = given === undefined ? undefined : await readItemTable(given, itemIds);
  const before = existing && existingTexts(existing);
  const itemLinks = textsOf('link', itemIds, table?.links, before);
  const itemImages = textsOf('image', itemIds, table?.images, before);
  const found = [...(beside?.features(itemIds) ?? []), ...(table?.features ? [table.features] : [])];
  const kept = (existing?.features ?? []).filter(({ name }) => found.every((each) => each.name !== name));
  return {
    itemTitles: itemIds.map(
      (id, item) => table?.titles[item] || beside?.titleOf(id) || before?.get(id)?.title || '',
    ),
    ...(itemLinks && { itemLinks }),
    ...(itemImages && { itemImages }),
    features: [...featuresForItems(kept, existing?.itemIds ?? [], itemIds), ...found],
    table,
  };
}

interface ItemTexts {
  readonly title: string;
  readonly link: string;
  readonly image: string;
}

function existingTexts({
  itemIds,
  itemTitles,
  itemLinks,
  itemImages,
}: Dataset): ReadonlyMap<string, ItemTexts> {
  return new Map(
    itemIds.map((id, item) => [
      id,
      { title: itemTitles[item] ?? '', link: itemLinks?.[item] ?? '', image: itemImages?.[item] ?? '' },
    ]),
  );
}

/** What is said of items now, else what was said before; undefined where neither says anything. */
function textsOf(
  role: 'link' | 'image',
  itemIds: readonly string[],
  now: readonly string[] | undefined,
  before: ReadonlyMap<string, ItemTexts> | undefined,
): readonly string[] | undefined {
  if (before === undefined) return now;
  const texts = itemIds.map((id, item) => now?.[item] || before.get(id)?.[role] || '');
  return now !== undefined || texts.some((text) => text !== '') ? texts : undefined;
}
