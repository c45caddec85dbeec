import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Csr } from '@hushrec/numerics';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { type FeatureOptions, importFeatures } from './import-features.js';
import { nearestItems } from './nearest-items.js';

const base = await mkdtemp(join(tmpdir(), 'hushrec-features-test-'));
afterAll(() => rm(base, { recursive: true, force: true }));
const dataset = { itemIds: ['10', '20', '30', '40'], ratings: { scale: { min: 1, max: 5, step: 1 } } };

async function features(name: string, text: string | Uint8Array, options: FeatureOptions) {
  const path = join(base, name);
  await writeFile(path, text);
  return importFeatures(path, options, dataset);
}

/** Rows as {column: value}. */
function rows({ rowCount, offsets, indices, values }: Csr) {
  return Array.from({ length: rowCount }, (_, row) =>
    Object.fromEntries(
      Array.from(indices.subarray(offsets[row], offsets[row + 1]), (column, k) => [
        column,
        values[offsets[row] + k],
      ]),
    ),
  );
}

describe('categorical features', () => {
  it('reads several fields with several tokens in a cell, and counts items without any', async () => {
    const { source, report } = await features(
      'f.csv',
      'itemId,title,genre,director\n10,"A, B",Comedy|Drama,Ann\n20,C,Drama,\n99,D,Horror,Eve\n30,E,,\n',
      { kind: 'categorical' },
    );
    expect(report).toEqual({ items: 4, itemsWithout: 2, unknownRows: 1 });
    if (source.kind !== 'categorical') throw new Error('kind');
    expect(source.fields.map(({ name, tokens }) => [name, ...tokens])).toEqual([
      ['genre', 'Comedy', 'Drama'],
      ['director', 'Ann'],
    ]);
    expect(rows(source.fields[0].byItem)).toEqual([{ 0: 1, 1: 1 }, { 1: 1 }, {}, {}]);
  });

  it('reads one row per token, with weights', async () => {
    const { source } = await features(
      'tags.dat',
      'movieID\ttagID\ttagWeight\n10\t7\t3\n10\t8\t1\n40\t7\t2\n',
      {
        kind: 'categorical',
        fields: ['tagID'],
        weight: 'tagWeight',
      },
    );
    if (source.kind !== 'categorical') throw new Error('kind');
    expect(source.fields[0].tokens).toEqual(['7', '8']);
    expect(rows(source.fields[0].byItem)).toEqual([{ 0: 3, 1: 1 }, {}, {}, { 0: 2 }]);
  });

  it('knows MovieLens files', async () => {
    const { source, report } = await features(
      'movies.dat',
      '10::T (1999)::Comedy|War\n20::U (2000)::War\n5::V::X\n',
      {
        kind: 'categorical',
      },
    );
    if (source.kind !== 'categorical') throw new Error('kind');
    expect(source.fields[0].tokens).toEqual(['Comedy', 'War']);
    expect(report).toEqual({ items: 4, itemsWithout: 2, unknownRows: 1 });
  });

  it.each([
    ['a column that is not there', 'item,a\n10,x\n', { fields: ['b'] }, /no column "b"/],
    ['a weight that is none', 'item,a,w\n10,x,no\n', { fields: ['a'], weight: 'w' }, /line 2: the weight/],
    ['an empty file', '', {}, /it is empty/],
    ['no tokens', 'item\n10\n', {}, /no column with tokens/],
  ])('refuses %s', async (_, text, options, message) => {
    await expect(features('f.csv', text, { kind: 'categorical', ...options })).rejects.toThrow(message);
  });
});

describe('similarity features', () => {
  it('computes neighbours from vectors', async () => {
    const text = 'item,f1,f2\r\n10,1,0\r\n20,2,0.2\r\n30,0,1\r\n99,1,1\r\n';
    const options = { kind: 'similarity', content: 'vectors', k: 1 } as const;
    const { source, report } = await features('v.csv', text, options);
    expect(report).toEqual({ items: 4, itemsWithout: 1, unknownRows: 1 });
    if (source.kind !== 'similarity') throw new Error('kind');
    expect(rows(source.byItem).map((row) => Object.keys(row))).toEqual([['1'], ['0'], ['1'], []]);
    const dots = await features('v.csv', text, { ...options, measure: 'dot', values: 'binary' });
    if (dots.source.kind !== 'similarity') throw new Error('kind');
    expect(rows(dots.source.byItem)).toEqual([{ 1: 1 }, { 0: 1 }, { 1: 1 }, {}]);
    await expect(features('v.csv', 'item,f1,f2,f3\n10,1,x,0\n', options)).rejects.toThrow(
      /line 2: "f2" is not a number/,
    );
  });

  it('takes the k best pairs of a table', async () => {
    const { source, report } = await features(
      'p.csv',
      'item,other,score\n10,20,0.5\n10,30,0.9\n10,10,1\n10,77,1\n40,10,0.1\n',
      {
        kind: 'similarity',
        k: 1,
      },
    );
    if (source.kind !== 'similarity') throw new Error('kind');
    expect(rows(source.byItem)).toEqual([{ 2: Math.fround(0.9) }, {}, {}, { 0: Math.fround(0.1) }]);
    expect(report).toEqual({ items: 4, itemsWithout: 2, unknownRows: 1 });
  });

  it('agrees with sorting all similarities', () => {
    const vector = fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(
        fc.array(vector, { minLength: 2, maxLength: 9 }),
        fc.integer({ min: 1, max: 4 }),
        (vectors, k) => {
          const present = Uint8Array.from(vectors, (_, item) => (item === 1 ? 0 : 1));
          const got = rows(
            nearestItems(Float32Array.from(vectors.flat()), 3, present, {
              k,
              measure: 'dot',
              values: 'actual',
            }),
          );
          vectors.forEach((own, item) => {
            const expected = vectors
              .map((other, index) => ({ index, score: own.reduce((sum, x, f) => sum + x * other[f], 0) }))
              .filter(({ index }) => item !== 1 && index !== item && index !== 1)
              .sort((a, b) => b.score - a.score || a.index - b.index)
              .slice(0, k);
            expect(got[item]).toEqual(
              Object.fromEntries(expected.map(({ index, score }) => [index, score + 0])),
            );
          });
        },
      ),
    );
  });
});

it('public ratings are joined by item and keep their own people', async () => {
  const { source, report } = await features('public.csv', 'user,item,rating\nz,10,5\nz,99,1\ny,30,2\n', {
    kind: 'public-ratings',
  });
  if (source.kind !== 'public-ratings') throw new Error('kind');
  expect(rows(source.byUser)).toEqual([{ 0: 5 }, { 2: 2 }]);
  expect(report).toEqual({ items: 4, itemsWithout: 2, unknownRows: 1 });
});
