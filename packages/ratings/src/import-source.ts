import { rm } from 'node:fs/promises';
import { assembleRatings } from './assemble-dataset.js';
import { checkTarget, makePartialFolder, writeError } from './dataset-folder/partial-folder.js';
import { type WriteOptions, writeDataset } from './dataset-folder/write-dataset.js';
import { readCatalogue } from './features/catalogue-file.js';
import { CategoricalFieldBuilder } from './features/categorical-field.js';
import { type ItemTable, readItemTable } from './features/item-table.js';
import type { DatasetManifest, FeatureSource } from './rating-matrix.js';
import { decadeOf, readMovieLensItems } from './sources/movielens-items.js';
import { readSource, type SourceFormat, type SourceOptions } from './sources/read-source.js';

/** How to read a source and store it; the options of `hushrec import`. */
export interface ImportOptions
  extends Omit<SourceOptions, 'catalogue'>,
    Pick<WriteOptions, 'overwrite' | 'writeFile' | 'account'> {
  /**
   * A table whose item column lists the items there are. They all get a place, rated or not, so that the list of
   * items in a published model says nothing about ratings. Without it the items are those that were rated.
   */
  readonly catalogue?: string;
  /** A public table about items, `item,title[,link,image,…]`: what people see of them, and what methods may learn from. */
  readonly items?: string;
  /** Kept in the provenance: what was said about how to read the source. */
  readonly asked?: Readonly<Record<string, string>>;
  /** What the data set is called; the source's name unless given. */
  readonly name?: string;
  /** Told before each of the stages begins. */
  readonly progress?: (progress: {
    readonly stage: string;
    readonly done: number;
    readonly total: number;
  }) => void;
}

/** What was imported and what was not. */
export interface ImportReport {
  readonly users: number;
  readonly items: number;
  readonly ratings: number;
  readonly duplicates: number;
  readonly badRows: number;
  readonly format: SourceFormat;
  readonly reader: 'duckdb' | 'typescript';
  readonly itemsWithoutTitle: number;
  /** Columns of the source that nothing was read from. */
  readonly unusedColumns: readonly string[];
  /** What became of the columns of the table about items; absent without one. */
  readonly itemTable?: Pick<ItemTable, 'learned' | 'unused' | 'unknownRows'>;
  readonly manifest: DatasetManifest;
}

/**
 * Reads a source (file, folder, archive or `postgres://` URL), checks it, and writes a dataset folder. Either the
 * whole folder is there afterwards or nothing is.
 */
export async function importSource(
  source: string,
  directory: string,
  options: ImportOptions = {},
): Promise<ImportReport> {
  const stages = ['reading', 'sorting', 'titles', 'writing'];
  const enter = (stage: string) => {
    options.signal?.throwIfAborted();
    options.progress?.({ stage, done: stages.indexOf(stage), total: stages.length });
  };
  await checkTarget(directory, options.overwrite ?? false);
  const workFolder = await makePartialFolder(directory);
  try {
    enter('reading');
    const { catalogue: cataloguePath, items: itemsPath, ...sourceOptions } = options;
    const catalogue = cataloguePath === undefined ? undefined : await readCatalogue(cataloguePath);
    const read = await readSource(source, { ...sourceOptions, ...(catalogue && { catalogue }) }, workFolder);
    enter('sorting');
    const { ratings, userIds, itemIds, appearance, duplicates } = assembleRatings(read.rows, catalogue);
    enter('titles');
    const known = await readMovieLensItems(read.neighbours);
    const table = itemsPath === undefined ? undefined : await readItemTable(itemsPath, itemIds);
    const itemTitles = itemIds.map((id, item) => table?.titles[item] || (known.get(id)?.title ?? ''));
    const features = [
      ...(known.size === 0 ? [] : [movieFeatures(itemIds, known)]),
      ...(table?.features ? [table.features] : []),
    ];
    enter('writing');
    await rm(workFolder, { recursive: true, force: true });
    const { format, reader, name } = read;
    const { badRows } = read.rows;
    const manifest = await writeDataset(
      directory,
      {
        name: options.name ?? name,
        ratings,
        userIds,
        itemIds,
        itemTitles,
        ...(table?.links && { itemLinks: table.links }),
        ...(table?.images && { itemImages: table.images }),
        features,
        appearance,
        provenance: {
          source: name,
          format,
          reader,
          duplicates,
          badRows,
          items: catalogue === undefined ? 'those rated' : 'from a catalogue',
          ...(options.asked && { asked: options.asked }),
        },
      },
      options,
    );
    return {
      users: ratings.userCount,
      items: ratings.itemCount,
      ratings: ratings.byUser.values.length,
      duplicates,
      badRows,
      format,
      reader,
      itemsWithoutTitle: itemTitles.filter((title) => title === '').length,
      unusedColumns: read.unused,
      ...(table && {
        itemTable: { learned: table.learned, unused: table.unused, unknownRows: table.unknownRows },
      }),
      manifest,
    };
  } catch (error) {
    throw writeError(directory, error);
  } finally {
    await rm(workFolder, { recursive: true, force: true });
  }
}

/** Genres as MovieLens lists them, and the decade that titles end with. */
function movieFeatures(
  itemIds: readonly string[],
  known: Awaited<ReturnType<typeof readMovieLensItems>>,
): FeatureSource {
  const genre = new CategoricalFieldBuilder();
  const decade = new CategoricalFieldBuilder();
  itemIds.forEach((id, item) => {
    const movie = known.get(id);
    for (const token of movie?.genres ?? []) genre.add(item, token);
    const years = movie && decadeOf(movie.title);
    if (years !== undefined) decade.add(item, years);
  });
  return {
    kind: 'categorical',
    name: 'movielens',
    fields: [genre.finish('genre', itemIds.length), decade.finish('decade', itemIds.length)],
  };
}
