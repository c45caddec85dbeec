import type { PublishedModel } from '@hushrec/model';
import type { Histories, HistoryOptions, RowOutputOptions, TableColumn } from '@hushrec/ratings';
import type { ItemChoice } from '@hushrec/recommend';
import type { CommandContext } from '../command.js';
import type { ListsReport } from './lists-report.js';
import { type RankedPeople, rankEveryone } from './rank-everyone.js';

/** Lists for everyone: what is asked for. */
export interface ListsRequest extends RowOutputOptions, ItemChoice {
  /** Whatever `import` reads, with rows of many people; or a dataset folder. */
  readonly histories: string;
  /** How to read it. */
  readonly reading?: Omit<HistoryOptions, 'scale'>;
  /** A file that ends in .parquet, .csv or .tsv, or a `postgres://` address. */
  readonly out: string;
  readonly k: number;
  readonly includeSeen?: boolean;
  readonly threads?: number;
}

const namedUnknown = 5;

/**
 * Writes a list for everyone in a source, block by block: `person,rank,item,score[,title]`. Histories are in
 * memory (12 bytes a row), lists are not. All lists are there afterwards, or none.
 */
export async function writeLists(
  published: PublishedModel,
  request: ListsRequest,
  { progress, signal }: Pick<CommandContext, 'progress' | 'signal'>,
): Promise<ListsReport> {
  const { openRowOutput, readHistories } = await import('@hushrec/ratings');
  const { recommendable } = await import('@hushrec/recommend');
  const { model, manifest } = published;
  const { itemIds, titles } = manifest;
  const output = await openRowOutput(request.out, columnsOf({ itemIds, titles }), request);
  try {
    progress({ stage: 'reading histories', done: 0, total: 1 });
    const histories = await readHistories(request.histories, {
      ...request.reading,
      signal,
      ...(model.feedback === 'explicit' && { scale: rangeOf(manifest.scale) }),
    });
    const { indexOf, unknown } = knownItems(histories, itemIds);
    const people = histories.userIds.length;
    const asked = {
      model: recommendable(published),
      k: request.k,
      includeSeen: request.includeSeen === true,
      ...(request.only && { only: [...request.only] }),
      ...(request.exclude && { exclude: [...request.exclude] }),
    };
    let [rows, withoutHistory] = [0, 0];
    progress({ stage: 'lists', done: 0, total: people });
    for await (const block of rankEveryone(histories, indexOf, asked, request.threads)) {
      signal.throwIfAborted();
      await output.write(columnsOf({ itemIds, titles }, histories.userIds, block));
      rows += block.items.length;
      withoutHistory += block.withoutHistory;
      progress({ stage: 'lists', done: block.first + block.lengths.length, total: people });
    }
    await output.finish();
    const { badRows, columns } = histories;
    return {
      ...{ out: request.out, people, rows, withoutHistory, unknown, badRows },
      ...(columns && { columns }),
    };
  } finally {
    await output.abandon();
  }
}

/** Any grade from the lowest to the highest, as for one person. */
function rangeOf(scale = { min: -3e38, max: 3e38 }) {
  return { min: scale.min, max: scale.max, step: 0 };
}

/** Which items of the histories the model knows, and which it does not. */
function knownItems({ itemIds, items }: Histories, known: readonly string[]) {
  const places = new Map(known.map((id, index) => [id, index]));
  const indexOf = Int32Array.from(itemIds, (id) => places.get(id) ?? -1);
  let rows = 0;
  const met = new Set<number>();
  for (const item of items)
    if (indexOf[item] < 0) {
      rows++;
      met.add(item);
    }
  const first = [...met].slice(0, namedUnknown).map((item) => itemIds[item]);
  return { indexOf, unknown: { items: met.size, rows, first } };
}

/** Rows of a block; none without one. */
function columnsOf(
  {
    itemIds,
    titles,
  }: { readonly itemIds: readonly string[]; readonly titles: readonly string[] | undefined },
  userIds: readonly string[] = [],
  { first, lengths, items, scores }: RankedPeople = {
    ...{ first: 0, lengths: new Uint32Array(), withoutHistory: 0 },
    ...{ items: new Uint32Array(), scores: new Float64Array() },
  },
): TableColumn[] {
  const people: string[] = [];
  const ranks: number[] = [];
  for (const [at, length] of lengths.entries())
    for (let rank = 1; rank <= length; rank++) {
      people.push(userIds[first + at]);
      ranks.push(rank);
    }
  const named = (names: readonly string[]) => Array.from(items, (item) => names[item] ?? '');
  return [
    { name: 'person', type: 'text', data: people },
    { name: 'rank', type: 'index', data: Uint32Array.from(ranks) },
    { name: 'item', type: 'text', data: named(itemIds) },
    { name: 'score', type: 'float64', data: scores },
    ...(titles ? [{ name: 'title', type: 'text', data: named(titles) } as const] : []),
  ];
}
