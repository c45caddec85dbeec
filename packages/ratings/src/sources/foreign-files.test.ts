// Files that are not what is read here: each is named, with what to do, and most rows are never to be
// skipped.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { afterAll, describe, expect, it } from 'vitest';
import { BadDataError, importSource } from '../index.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-foreign-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function refusal(name: string, content: string | Uint8Array): Promise<BadDataError> {
  writeFileSync(join(folder, name), content);
  const scale = { min: 1, max: 5, step: 0.5 };
  const error = await importSource(join(folder, name), join(folder, 'set'), { scale }).catch(
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(BadDataError);
  return error as BadDataError;
}

const bytes = (text: string) => Buffer.concat([Buffer.from(text, 'latin1'), Buffer.alloc(600)]);
const tar = Buffer.alloc(1024);
tar.write('ratings.csv', 0);
tar.write('ustar', 257);

describe('files that are no text', () => {
  it.each([
    ['r.csv.bz2', bytes('BZh91AY&SY'), /packed by bzip2.*bunzip2/],
    ['r.csv.xz', bytes('\xfd7zXZ\0'), /packed by xz.*unxz/],
    ['r.lz4', bytes('\x04\x22\x4d\x18'), /packed by lz4/],
    ['r.tar', tar, /a tar archive.*tar -xf/],
    ['r.tar.gz', gzipSync(tar), /a tar archive.*tar -xf/],
    ['r.tgz', gzipSync(tar), /a tar archive.*tar -xf/],
    ['r.xlsx', zipSync({ '[Content_Types].xml': new Uint8Array(9) }), /workbook of Excel.*Save it as CSV/],
    ['r.dat', zipSync({ 'r.csv': new Uint8Array(9) }), /zip archive under another name.*Name it \.zip/],
    ['r.xls', bytes('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'), /Excel.*Save it as CSV/],
    ['r.feather', bytes('ARROW1\0\0'), /not a whole Arrow file.*ends before its data.*fetch it again/],
    ['r.csv', bytes('ARROW1\0\0'), /Arrow \(Feather\) file under another name.*--format arrow/],
    ['old', bytes('FEA1\0\0'), /Feather file of version 1.*Parquet/],
    ['r.orc', bytes('ORC\x08'), /an ORC file.*Parquet/],
    ['r.avro', bytes('Obj\x01'), /an Avro file/],
    ['shop.db', bytes('SQLite format 3\0'), /an SQLite database.*sqlite:FILE --query/],
    ['table', bytes('PAR1'), /Parquet file under another name.*--format parquet/],
  ])('%s is named', async (name, content, message) => {
    const error = await refusal(name, content);
    expect(error.message).toMatch(message);
    expect(error.message).not.toMatch(/NUL|UTF-16/);
  });

  it('letters that begin a text are no format', async () => {
    writeFileSync(join(folder, 'ok.csv'), 'ORChid,BZh,5\nOR,x,4\n');
    const report = await importSource(join(folder, 'ok.csv'), join(folder, 'ok'), {
      scale: { min: 1, max: 5, step: 1 },
    });
    expect(report).toMatchObject({ ratings: 2 });
  });
});

describe('rows that are all wrong in one way', () => {
  const rows = (row: (k: number) => string, header = 'user;item;rating') =>
    `${header}\n${Array.from({ length: 2400 }, (_, k) => row(k)).join('\n')}\n`;

  it.each([
    ['decimal commas', rows((k) => `u${k};x;4,5`), /decimal comma.*4\.5 for 4,5/],
    ['percentages', rows((k) => `u${k};x;${k % 101}%`), /a % sign.*--scale 0:100:1/],
    [
      'local dates',
      rows((k) => `u${k};x;4;31/12/2024`, 'user;item;rating;date'),
      /nobody can tell apart.*2024-12-31/,
    ],
    ['words', rows((k) => `u${k};x;good`), /not a number.*read in a wrong way: check --columns/],
    ['other columns', rows((k) => `u${k};x;4;5;${k}`), /5 fields where.*read in a wrong way/],
  ])('%s: the advice is not to skip them', async (_, text, message) => {
    const error = await refusal('rows.csv', text);
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain('skip-bad-rows');
    expect(error.message).not.toMatch(/u0|u1\b/);
  });

  it('a header in other words is shown', async () => {
    expect((await refusal('kunden.csv', 'kunde,artikel,note\n1,7,4\n2,9,5\n')).message).toMatch(
      /line 1: it is a header whose names are not known: "kunde", "artikel", "note"\. .*--columns kunde,artikel,note/,
    );
    // A first row that is someone's stays a bad row, and is not shown.
    for (const text of ['ann,dune,good\nann,mirror,5\nbob,dune,4\n', 'u1,i1,x\nu2,i2,4\nu3,i2,5\n'])
      expect((await refusal('row.csv', text)).message).toMatch(/line 1: the rating is not a number/);
  });
});

it('addresses are refused without their passwords', async () => {
  for (const [source, items] of [
    ['mysql://ann:secret-word@db.example/shop', undefined],
    ['mysql://ann:se@cr/et-word@db.example/shop', undefined],
    [join(folder, 'plain.csv'), 'postgres://ann:secret-word@db.example/shop'],
  ] as const) {
    writeFileSync(join(folder, 'plain.csv'), 'user,item\na,x\n');
    const error = await importSource(source, join(folder, 'set'), items === undefined ? {} : { items }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(BadDataError);
    expect((error as Error).message).toMatch(/:\/\/db\.example\/shop: nothing is read from such an address/);
    expect(JSON.stringify(error)).not.toMatch(/secret|et-word/);
  }
});
