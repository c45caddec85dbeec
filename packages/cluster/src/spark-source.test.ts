import { describe, expect, it } from 'vitest';
import { SparkError } from './connect/spark-errors.js';
import type { Asked } from './plain-parquet.js';
import { lookAtSource, readSparkSource, SparkSourceError, sourceName } from './spark-source.js';
import { describeStatement } from './statements.js';

describe('a source on a cluster', () => {
  it('is a table, a Delta folder, or a path', () => {
    expect(readSparkSource('s3a://shop/table.parquet')).toEqual({
      kind: 'parquet',
      path: 's3a://shop/table.parquet',
    });
    expect(readSparkSource('delta:s3a://shop/t')).toEqual({ kind: 'delta', path: 's3a://shop/t' });
    expect(readSparkSource('table:main.sales.ratings')).toMatchObject({ name: ['main', 'sales', 'ratings'] });
    expect(readSparkSource('table:`my.cat`.s.`a``b c`')).toMatchObject({ name: ['my.cat', 's', 'a`b c'] });
    for (const wrong of [
      'table:',
      'table:a..b',
      'table:a.',
      'table:a b',
      'table:`a',
      'table:a`b`',
      'delta:',
      'iceberg:/t',
    ])
      expect(() => readSparkSource(wrong)).toThrow(SparkSourceError);
  });

  it('has a folder of its last name', () => {
    expect(sourceName('table:main.sales.ratings')).toBe('ratings');
    expect(sourceName('table:`a/b.c`')).toBe('a-b.c');
    expect(sourceName('delta:s3a://shop/t.v1/')).toBe('t.v1');
    expect(sourceName('s3a://shop/ratings.parquet')).toBe('ratings');
    expect(sourceName('/data/everyone/')).toBe('everyone');
  });
});

/** A Spark that answers statements which begin so, and knows nothing else. */
function fakeSpark(answers: Readonly<Record<string, string[][] | Error>>) {
  const asked: string[] = [];
  const answer = async (sql: string) => {
    asked.push(sql);
    const found = Object.entries(answers).find(([begin]) => sql.startsWith(begin))?.[1];
    if (found === undefined) throw new SparkError('', 'PATH_NOT_FOUND');
    if (found instanceof Error) throw found;
    return found;
  };
  const spark: Asked = { rows: answer, answers: answer };
  return { spark, asked };
}

const described = (...details: string[][]) => [
  ['user', 'string', ''],
  ['Provider', 'string', 'a column of this name says nothing'],
  ['', '', ''],
  ['# Detailed Table Information', '', ''],
  ...details.map((row) => [...row, '']),
];
const files = [['s3a://shop/t/0.parquet', '12', '34']];

describe('a table', () => {
  it('of Delta is read at the version that it is at', async () => {
    const { spark } = fakeSpark({
      'DESCRIBE TABLE EXTENDED': described(['Provider', 'delta']),
      'DESCRIBE HISTORY': [['12', '2026-01-01 10:00:00']],
    });
    const now = await lookAtSource(spark, 'table:main.sales.ratings');
    expect(now).toMatchObject({
      relation: { sql: '`main`.`sales`.`ratings` VERSION AS OF 12' },
      version: 'Delta version 12',
    });
    const other = fakeSpark({
      'DESCRIBE TABLE EXTENDED': described(['Provider', 'delta']),
      'DESCRIBE HISTORY': [['12', '2026-01-01 10:00:01']],
    });
    // Made anew under the same name.
    expect((await lookAtSource(other.spark, 'table:main.sales.ratings')).state).not.toBe(now.state);
    expect((await lookAtSource(spark, 'delta:s3a://shop/t`1')).relation.sql).toBe(
      'delta.`s3a://shop/t``1` VERSION AS OF 12',
    );
  });

  it('of Iceberg is read at its snapshot', async () => {
    const { spark, asked } = fakeSpark({
      'DESCRIBE TABLE EXTENDED': described(['Provider', 'iceberg']),
      'SELECT string(snapshot_id)': [['5514529511609009202']],
    });
    expect(await lookAtSource(spark, 'table:ice.db.t')).toMatchObject({
      relation: { sql: '`ice`.`db`.`t` VERSION AS OF 5514529511609009202' },
      version: 'Iceberg snapshot 5514529511609009202',
    });
    expect(asked[1]).toContain('FROM `ice`.`db`.`t`.refs');
  });

  it('is named, never spelled out: a name is no statement, and a version is a number', async () => {
    const { spark, asked } = fakeSpark({
      'DESCRIBE TABLE EXTENDED': described(['Provider', 'delta']),
      'DESCRIBE HISTORY': [['1; DROP TABLE people', '']],
    });
    await expect(lookAtSource(spark, 'table:`t` WHERE 1=1; DROP TABLE people`')).rejects.toThrow(
      SparkSourceError,
    );
    expect(asked).toEqual([]);
    await expect(lookAtSource(spark, 'table:`t``; DROP TABLE people; --`')).rejects.toThrow(SyntaxError);
    expect(asked).toEqual([
      'DESCRIBE TABLE EXTENDED `t``; DROP TABLE people; --`',
      'DESCRIBE HISTORY `t``; DROP TABLE people; --` LIMIT 1',
    ]);
  });

  it('is one of the catalogue: a path in its place is refused', async () => {
    const { spark } = fakeSpark({
      'DESCRIBE TABLE EXTENDED `parquet`': new SparkError('', 'TABLE_OR_VIEW_NOT_FOUND'),
      SELECT: files,
    });
    await expect(lookAtSource(spark, 'table:parquet.`/t`')).rejects.toThrow(SparkError);
  });

  it('of plain Parquet must not lie in the folder of another kind', async () => {
    const plain = {
      'DESCRIBE TABLE EXTENDED': described(['Provider', 'PARQUET'], ['Location', 's3a://shop/t']),
      'SELECT DISTINCT': files,
    };
    const now = await lookAtSource(fakeSpark(plain).spark, 'table:t');
    expect(now).toMatchObject({ relation: { sql: '`t`' } });
    expect(now.version).toBeUndefined();
    const { spark } = fakeSpark({ ...plain, 'DESCRIBE QUERY SELECT * FROM text.`s3a://shop/t/{': [] });
    await expect(lookAtSource(spark, 'table:t')).rejects.toThrow('erased');
  });

  it('that is a view is read, and nobody can tell whether it changed', async () => {
    const { spark } = fakeSpark({
      'DESCRIBE TABLE EXTENDED': described(['Type', 'VIEW']),
      'SELECT DISTINCT': new SparkError('', 'UNRESOLVED_COLUMN.WITH_SUGGESTION'),
    });
    expect(await lookAtSource(spark, 'table:v')).toEqual({ relation: { sql: '`v`' }, state: undefined });
  });
});

describe('Parquet', () => {
  it('is known by its files', async () => {
    const { spark } = fakeSpark({ 'SELECT DISTINCT': files });
    const now = await lookAtSource(spark, 's3a://shop/t');
    expect(describeStatement(now.relation)).toBe('DESCRIBE QUERY SELECT * FROM parquet.`s3a://shop/t`');
    const grown = fakeSpark({ 'SELECT DISTINCT': [...files, ['s3a://shop/t/1.parquet', '12', '34']] });
    expect((await lookAtSource(grown.spark, 's3a://shop/t')).state).not.toBe(now.state);
    const table = fakeSpark({
      'SELECT DISTINCT': files,
      'DESCRIBE QUERY SELECT * FROM text.`s3a://shop/{': [],
    });
    await expect(lookAtSource(table.spark, 's3a://shop/t')).rejects.toThrow('erased');
  });
});
