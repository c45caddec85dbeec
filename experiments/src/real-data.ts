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
  /** The same shop with all its items, people with five ratings or more: eight ratings a person among 11,830 items. */
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
} as const;

export type RealDataName = keyof typeof sources;

/** An experiment needs a data folder that was not given. */
export class MissingDataError extends Error {
  override readonly name = 'MissingDataError';
  readonly kind = 'data';
  readonly dataset: string;
  constructor(dataset: string) {
    super(
      `This experiment needs ${dataset}, and no data folder was given. Pass the folder that holds ${dataset}.`,
    );
    this.dataset = dataset;
  }
}

/** Reads a data set through the importer into a temporary folder, which is removed again. */
export async function loadRealData(
  context: Pick<ExperimentContext, 'data' | 'signal'>,
  name: RealDataName,
): Promise<Dataset> {
  if (context.data === undefined) throw new MissingDataError(name);
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
