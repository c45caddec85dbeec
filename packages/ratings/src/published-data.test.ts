import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDataset } from './dataset-folder/open-dataset.js';
import { importFeatures } from './features/import-features.js';
import { type ImportOptions, importSource } from './import-source.js';
import { readCandidateFile } from './splits/candidate-file.js';
import { readHeldOutFile } from './splits/held-out-file.js';
import { splitGivenOne } from './splits/leave-one-out.js';

/**
 * A folder with ml-100k, ml-1m, amazon-instant-video, gowalla and movie-features. They may not be
 * redistributed.
 */
const data = process.env['HUSHREC_DATA'];
const skip = data === undefined;
const why = skip ? ' (skipped: HUSHREC_DATA does not name a folder with the published data sets)' : '';

const stars = { min: 1, max: 5, step: 1 };

describe.skipIf(skip)(`published data sets${why}`, () => {
  let base: string;
  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), 'hushrec-published-data-'));
  });
  afterAll(() => rm(base, { recursive: true, force: true }));

  it.each<[string, number, number, number, ImportOptions]>([
    ['ml-100k', 943, 1682, 100_000, {}],
    ['ml-100k/u1.base.gz', 943, 1650, 80_000, {}],
    ['ml-1m', 6040, 3706, 1_000_209, {}],
    ['amazon-instant-video/ratings_5core.csv.gz', 5130, 1685, 37_126, { scale: stars }],
    ['amazon-instant-video/ratings_users-min5.csv.gz', 8072, 11_830, 63_836, { scale: stars }],
    ['gowalla/train.txt.gz', 29_858, 40_981, 810_128, {}],
  ])(
    '%s: %i users, %i items, %i ratings with either reader',
    async (source, users, items, ratings, options) => {
      const hashes = new Set<string>();
      for (const reader of ['auto', 'typescript'] as const) {
        const report = await importSource(join(data!, source), join(base, 'set'), {
          ...options,
          reader,
          overwrite: true,
        });
        expect(report).toMatchObject({ people: users, items, ratings, duplicates: 0, badRows: 0 });
        hashes.add(report.manifest.contentHash);
      }
      expect(hashes.size).toBe(1);
    },
  );

  it('ML-1M: titles, genres, the NCF split and public features fit', async () => {
    await importSource(join(data!, 'ml-1m'), join(base, 'ml-1m'));
    const dataset = await openDataset(join(base, 'ml-1m'));
    expect(dataset.itemTitles.filter((title) => title === '')).toEqual([]);
    const grades = new Array<number>(6).fill(0);
    for (const rating of dataset.ratings.byUser.values) grades[rating]++;
    expect(grades).toEqual([0, 56_174, 107_557, 261_197, 348_971, 226_310]);
    const ncf = await readCandidateFile(join(data!, 'ml-1m/ncf-split/ml-1m.test.negative.gz'), dataset);
    const { train, test } = splitGivenOne(dataset.ratings, ncf.target);
    expect([train.byUser.values.length, test.byUser.values.length]).toEqual([994_169, 6040]);
    expect(ncf.negatives.length).toBe(6040 * 99);
    const movies = join(data!, 'movie-features');
    const genres = await importFeatures(
      join(movies, 'ml-32m/movies.csv.gz'),
      { kind: 'categorical' },
      dataset,
    );
    expect(genres.report.items - genres.report.itemsWithout).toBeGreaterThan(3600);
    const directors = await importFeatures(
      join(movies, 'hetrec2011-movielens-2k/movie_directors.dat.gz'),
      { kind: 'categorical', fields: ['directorName'] },
      dataset,
    );
    expect(directors.report.itemsWithout).toBeLessThan(3706 - 3500);
    const visual = await importFeatures(
      join(movies, 'visual-13k/LLVisualFeatures13K_Log.csv.gz'),
      { kind: 'similarity', k: 10 },
      dataset,
    );
    expect(visual.report.items - visual.report.itemsWithout).toBe(2422);
  });

  it('Gowalla: the published test set joins the training set, no pair in both', async () => {
    await importSource(join(data!, 'gowalla/train.txt.gz'), join(base, 'gowalla'));
    const dataset = await openDataset(join(base, 'gowalla'));
    const { ratings, unknownRows } = await readHeldOutFile(join(data!, 'gowalla/test.txt.gz'), dataset);
    expect([ratings.byUser.values.length, unknownRows]).toEqual([217_242, 0]);
    const train = dataset.ratings.byUser;
    let common = 0;
    for (let user = 0; user < ratings.userCount; user++) {
      const own = new Set(train.indices.subarray(train.offsets[user], train.offsets[user + 1]));
      const held = ratings.byUser.indices.subarray(
        ratings.byUser.offsets[user],
        ratings.byUser.offsets[user + 1],
      );
      common += held.filter((item) => own.has(item)).length;
    }
    expect(common).toBe(0);
  });
});
