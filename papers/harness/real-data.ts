import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Dataset, importSource, openDataset } from '@hushrec/ratings';
import type { ExperimentContext } from './experiment.js';

/** Data sets that experiments know by name: where they lie below the data folder, and how to read them. */
const sources = {
  'ml-100k': { path: 'ml-100k' },
  'ml-1m': { path: 'ml-1m' },
  gowalla: { path: 'gowalla/train.txt.gz' },
  'amazon-instant-video': {
    path: 'amazon-instant-video/ratings_5core.csv.gz',
    columns: ['1', '2', '3', '4'],
    header: false,
    scale: { min: 1, max: 5, step: 1 },
  },
  /**
   * The same shop with all its items, people with five ratings or more: eight ratings a person among 11,830
   * items.
   */
  'amazon-all-items': {
    path: 'amazon-instant-video/ratings_users-min5.csv.gz',
    columns: ['1', '2', '3', '4'],
    header: false,
    scale: { min: 1, max: 5, step: 1 },
  },
  /** Ratings of films in half steps by people who rate few. */
  filmtrust: {
    path: 'filmtrust/ratings.txt.gz',
    separator: ' ',
    columns: ['1', '2', '3'],
    header: false,
    scale: { min: 0.5, max: 4, step: 0.5 },
  },
  /** Artists that people listened to, whatever the number of plays. */
  lastfm: {
    path: 'hetrec2011-lastfm-2k/user_artists.dat.gz',
    separator: '\t',
    columns: ['1', '2'],
    header: true,
  },
  /**
   * Films that people put tags on, tags they use for artists, artists they tag, and who their friends are.
   */
  'tagged-films': {
    path: 'ml-10m-features/tags.dat.gz',
    separator: '::',
    columns: ['1', '2'],
    header: false,
  },
  'lastfm-tags': {
    path: 'hetrec2011-lastfm-2k/user_taggedartists.dat.gz',
    separator: '\t',
    columns: ['1', '3'],
    header: true,
  },
  'lastfm-tagged': {
    path: 'hetrec2011-lastfm-2k/user_taggedartists.dat.gz',
    separator: '\t',
    columns: ['1', '2'],
    header: true,
  },
  'lastfm-friends': {
    path: 'hetrec2011-lastfm-2k/user_friends.dat.gz',
    separator: '\t',
    columns: ['1', '2'],
    header: true,
  },
  /** Films, in the files of the split of GC-MC (all of their rows). */
  douban: {
    path: 'gcmc-douban/ratings.csv.gz',
    columns: ['user', 'item', 'rating'],
    scale: { min: 1, max: 5, step: 1 },
  },
  flixster: {
    path: 'gcmc-flixster/ratings.csv.gz',
    columns: ['user', 'item', 'rating'],
    scale: { min: 0.5, max: 5, step: 0.5 },
  },
  'ml-10m': { path: 'ml-10m' },
  'ml-20m': { path: 'ml-20m' },
  netflix: { path: 'netflix' },
  'yahoo-music': {
    path: 'yahoo-music/ydata-ymusic-rating-study-v1_0-train.txt',
    separator: '\t',
    columns: ['1', '2', '3'],
    header: false,
    scale: { min: 1, max: 5, step: 1 },
  },
} as const;

export type RealDataName = keyof typeof sources;

/** Where data that may not be passed on is to be had, and how it must lie in the data folder. */
const downloads: Readonly<Record<string, string>> = {
  'ml-100k': 'https://files.grouplens.org/datasets/movielens/ml-100k.zip, unpacked as ml-100k/u.data',
  'ml-1m': 'https://files.grouplens.org/datasets/movielens/ml-1m.zip, unpacked as ml-1m/ratings.dat',
  'ml-10m':
    'https://files.grouplens.org/datasets/movielens/ml-10m.zip, with ratings.dat and movies.dat in ml-10m/',
  'ml-20m':
    'https://files.grouplens.org/datasets/movielens/ml-20m.zip, with ratings.csv and movies.csv in ml-20m/',
  netflix:
    'the Netflix Prize data (nf_prize_dataset.tar.gz, or its four combined_data files), with mv_*.txt or combined_data_*.txt in netflix/',
  'yahoo-music':
    'Yahoo! Webscope R3, on request from research.yahoo.com, with ydata-ymusic-rating-study-v1_0-train.txt in yahoo-music/',
};

/** An experiment needs data that was not given or is not there. */
export class MissingDataError extends Error {
  override readonly name = 'MissingDataError';
  readonly kind = 'data';
  readonly dataset: string;
  constructor(dataset: string, folder?: string) {
    super(
      `This experiment needs ${dataset}, ${folder === undefined ? 'and no data folder was given' : `which is not in ${folder}`}. ${howToGet(dataset)}`,
    );
    this.dataset = dataset;
  }
}

/** What to download, and where to put it. */
export function howToGet(dataset: string): string {
  const where = downloads[dataset];
  return where === undefined
    ? `Pass the folder that holds ${dataset} with --data.`
    : `Get ${where}, and pass the folder above it with --data.`;
}

/** Whether a data set lies below the data folder. */
export function isThere(data: string | undefined, needed: string): boolean {
  if (data === undefined) return false;
  const known: { readonly path: string } | undefined = sources[needed as RealDataName];
  return existsSync(join(data, known?.path ?? needed));
}

/** Reads a data set through the importer into a temporary folder, which is removed again. */
export async function loadRealData(
  context: Pick<ExperimentContext, 'data' | 'signal'>,
  name: RealDataName,
): Promise<Dataset> {
  if (context.data === undefined || !isThere(context.data, name))
    throw new MissingDataError(name, context.data);
  const { path, ...options } = sources[name];
  const folder = await mkdtemp(join(tmpdir(), 'hushrec-'));
  try {
    await importSource(join(context.data, path), join(folder, 'dataset'), {
      ...options,
      signal: context.signal,
    });
    return await openDataset(join(folder, 'dataset'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
