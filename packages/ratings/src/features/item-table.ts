import { basename } from 'node:path';
import { BadDataError } from '../bad-data-error.js';
import { indexOfIds } from '../join-rows.js';
import type { FeatureSource } from '../rating-matrix.js';
import { CategoricalFieldBuilder } from './categorical-field.js';
import { type FeatureTable, readFeatureTable, rowsOfItems } from './feature-table.js';

/** What a public table says about the items of a data set, by item index; '' where it says nothing. */
export interface ItemTable {
  readonly titles: readonly string[];
  /** Addresses of the items' own pages; absent without such a column. */
  readonly links?: readonly string[];
  readonly images?: readonly string[];
  /** Columns whose values several items share: methods may learn from them. */
  readonly features?: FeatureSource;
  /** Names of the columns in `features`. */
  readonly learned: readonly string[];
  /** Columns that are in no use, because almost every item has a value of its own. */
  readonly unused: readonly string[];
  /** Rows about items that nobody rated. */
  readonly unknownRows: number;
}

const namesOf = {
  title: /^(?:title|name|label)$/i,
  link: /^(?:link|url|href|address)$/i,
  image: /^(?:image|img|picture|cover|poster|thumbnail)(?:[ _-]?(?:url|link))?$/i,
} as const;

/**
 * Reads a table about items (`item,title[,link,image,…]`, columns by name, or in this order without a
 * header). Other columns with values that items share become a categorical source, `|` between several values
 * of a cell.
 */
export async function readItemTable(
  given: string | FeatureTable,
  itemIds: readonly string[],
): Promise<ItemTable> {
  const table = typeof given === 'string' ? await readFeatureTable(given, {}) : given;
  const { columns, itemColumn, file: path } = table;
  const isNamed = columns.some((name) => name !== `field${columns.indexOf(name) + 1}`);
  const find = (role: keyof typeof namesOf, order: number) =>
    isNamed
      ? columns.findIndex((name, at) => at !== itemColumn && namesOf[role].test(name))
      : order < columns.length
        ? order
        : -1;
  const [title, link, image] = [find('title', 1), find('link', 2), find('image', 3)];
  const others = columns
    .map((_, at) => at)
    .filter((at) => at !== itemColumn && at !== title && at !== link && at !== image);
  const index = indexOfIds(itemIds);
  const text = () => itemIds.map(() => '');
  const [titles, links, images] = [text(), text(), text()];
  const builders = others.map(() => new CategoricalFieldBuilder());
  const counts = others.map(() => ({ values: 0, different: new Set<string>() }));
  const { known, unknownRows } = rowsOfItems(table, index);
  for (const { line, fields, item } of known) {
    const cell = (at: number) => (at < 0 ? '' : (fields[at] ?? '').trim());
    titles[item] ||= cell(title);
    links[item] ||= checkedAddress(cell(link), path, line, columns[link]);
    images[item] ||= checkedAddress(cell(image), path, line, columns[image]);
    for (const [k, at] of others.entries())
      for (const token of cell(at)
        .split('|')
        .map((each) => each.trim())) {
        if (token === '') continue;
        builders[k].add(item, token);
        counts[k].values++;
        counts[k].different.add(token);
      }
  }
  const isShared = (k: number) => counts[k].values > 0 && 2 * counts[k].different.size <= counts[k].values;
  const shared = others.map((_, k) => k).filter(isShared);
  const nameOf = (k: number) => columns[others[k]];
  return {
    titles,
    ...(link >= 0 && { links }),
    ...(image >= 0 && { images }),
    ...(shared.length > 0 && {
      features: {
        kind: 'categorical',
        name: basename(path),
        fields: shared.map((k) => builders[k].finish(nameOf(k), itemIds.length)),
      } as const,
    }),
    learned: shared.map(nameOf),
    unused: others
      .map((_, k) => k)
      .filter((k) => !isShared(k))
      .map(nameOf),
    unknownRows,
  };
}

/** Addresses end up in pages: a web address or a path on the page's own site, never a script. */
function checkedAddress(address: string, file: string, line: number, column: string | undefined): string {
  if (address === '' || /^https?:\/\/[^\s]+$/i.test(address) || /^\/(?!\/)[^\s]*$/.test(address))
    return address;
  throw new BadDataError(
    { file, line },
    `the ${column} is no web address`,
    'Expected https://…, http://… or a path that begins with /.',
  );
}
