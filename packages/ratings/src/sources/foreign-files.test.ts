// Files that are not what is read here: each is named, with what to do, and most rows are never to be
// skipped.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
    ['r.7z', bytes('7z\xbc\xaf\x27\x1c'), /7-Zip archive.*Unpack it/],
    ['r.rar', bytes('Rar!\x1a\x07'), /RAR archive.*Unpack it/],
    ['r.csv.Z', bytes('\x1f\x9d\x90'), /packed by compress.*uncompress/],
    ['r.csv.lzma', bytes('\x5d\0\0\x80'), /packed by lzma.*unlzma/],
    ['r.gz', gzipSync(gzipSync('a,b\n')), /packed by gzip twice.*Unpack it once/],
    ['r.npz', zipSync({ 'user.npy': new Uint8Array(9) }), /archive of NumPy arrays.*CSV/],
    ['r.npy', bytes('\x93NUMPY\x01\0'), /a NumPy array.*CSV/],
    ['r.h5', bytes('\x89HDF\r\n\x1a\n'), /HDF5 file.*CSV/],
    ['r.pkl', bytes('\x80\x04\x95\x10\0'), /pickle of Python.*read_pickle/],
    ['r.pickle', bytes('\x80\x05\x95\x10\0'), /pickle of Python.*read_pickle/],
    ['r.rds', gzipSync(bytes('X\n\0\0\0\x03')), /a file of R\..*write\.csv/],
    ['r.rdata', gzipSync(bytes('RDX3\nX\n\0')), /a file of R\..*write\.csv/],
    ['r.mat', bytes('MATLAB 5.0 MAT-file'), /a file of MATLAB/],
    ['r.sav', bytes('$FL2@(#) '), /a file of SPSS/],
    ['r.dta', bytes('<stata_dta><header>'), /a file of Stata/],
    ['shop.duckdb', Buffer.concat([Buffer.alloc(8), bytes('DUCK')]), /DuckDB database.*COPY/],
    ['r.pdf', bytes('%PDF-1.7'), /a PDF file/],
    ['r.png', bytes('\x89PNG\r\n\x1a\n'), /a picture/],
    ['r.jpg', bytes('\xff\xd8\xff\xe0'), /a picture/],
  ])('%s is named', async (name, content, message) => {
    const error = await refusal(name, content);
    expect(error.message).toMatch(message);
    expect(error.message).not.toMatch(/NUL|UTF-16/);
  });

  it.each([
    [
      'r.sas7bdat',
      bytes('\0\0\0\0\0\0\0\0\0\0\0\0\xc2\xea\x81\x60'),
      /line 1: there is a NUL byte, which no text has/,
    ],
    ['r.csv', bytes('MZ\x90\0'), /line 1: there is a NUL byte, which no text has.*Save it as CSV/],
    ['r.csv', Buffer.from(`user,item\n${'a,x\n'.repeat(50)}b,\0y\n`), /line 52: there is a NUL byte/],
    ['r.csv', Buffer.from('\ufeffuser,item\na,x\n', 'utf16le'), /UTF-16 text.*Convert it to UTF-8/],
    ['r.csv', Buffer.from('user,item\nПётр,x\n', 'utf16le'), /NUL bytes as in UTF-16 text.*Convert it/],
    ['r.csv', Buffer.from('user,item\na,x\n', 'utf16le').swap16(), /NUL bytes as in UTF-16 text/],
    ['r.csv.gz', Buffer.from('user,item\na,x\n'), /compressed data is damaged.*Fetch or pack/],
    [
      'r.csv.gz',
      gzipSync('user,item\na,x\n'.repeat(99)).subarray(0, 40),
      /ends before its data does.*cut short/,
    ],
    ['r.zst', Buffer.alloc(0), /ends before its data does.*cut short/],
    ['r.zip', bytes('PK\x03\x04'), /zip archive is damaged or cut short/],
    ['r.zip', zipSync({}), /there is no file in it/],
    ['r.parquet', Buffer.alloc(0), /not a whole Parquet file.*fetch it again/],
    ['r.parquet', Buffer.from('user,item\na,x\n'), /not a whole Parquet file/],
    ['r.arrow', Buffer.from('user,item\na,x\n'), /not a whole Arrow file/],
  ])('%s: what is wrong is said', async (name, content, message) => {
    expect((await refusal(name, content)).message).toMatch(message);
  });

  it.skipIf(process.platform === 'win32')(
    'a pipe or a device is refused: sources are read twice',
    async () => {
      const error = await importSource('/dev/null', join(folder, 'set')).catch((reason: unknown) => reason);
      expect((error as Error).message).toMatch(/a pipe or a device.*Write the rows into a file first/);
    },
  );

  it('a table in partitions is named: its folders are columns', async () => {
    mkdirSync(join(folder, 'parts', 'event=buy'), { recursive: true });
    const error = await importSource(join(folder, 'parts'), join(folder, 'set')).catch(
      (reason: unknown) => reason,
    );
    expect((error as Error).message).toMatch(/folders and no files, as a table in partitions.*one file/);
  });

  it('letters that begin a text are no format', async () => {
    writeFileSync(join(folder, 'ok.csv'), 'ORChid,BZh,5\nOR,x,4\n');
    const report = await importSource(join(folder, 'ok.csv'), join(folder, 'ok'), {
      scale: { min: 1, max: 5, step: 1 },
    });
    expect(report).toMatchObject({ ratings: 2 });
  });
});

describe('text that is no table', () => {
  it.each([
    [
      'page.csv',
      '<!DOCTYPE html>\n<html><body>404 Not Found</body></html>\n',
      /a web page.*open it in a browser/,
    ],
    ['r.xml', '\ufeff<?xml version="1.0"?>\n<ratings><r u="a"/></ratings>\n', /an XML document.*CSV/],
    ['r.xml', '<ratings>\n<r u="a" i="x"/>\n</ratings>\n', /an XML document/],
    ['r.json', '[{"user":"a","item":"x"},{"user":"b","item":"y"}]', /a JSON list.*one object per line.*jq/],
    ['r.csv', '[\n  {"user": "a", "item": "x"}\n]\n', /a JSON list.*jq/],
    ['r.csv', '{"user":"a","item":"x"}\n', /line 1: it is JSON.*--format jsonl/],
    ['r.json', '{\n  "ratings": []\n}\n', /it is no JSON object.*jq/],
    ['r.jsonl', '[1,2,3]\n[4,5,6]\n', /line 1: it is no JSON object/],
    ['r.jsonl', '{"user":"a","item":"x","rating":4}\n{"user":"b","item":\n', /line 2: it is no JSON object/],
    ['r.jsonl', '{"user":{"id":1},"item":2,"rating":5}\n', /line 1: an id is a list or an object/],
    ['r.jsonl', '{"kunde":1,"artikel":2,"note":5}\n', /it has "kunde", "artikel", "note".*--columns/],
    ['r.yml', '- user: a\n  item: x\n- user: b\n  item: y\n', /a YAML document/],
    ['r.yml', '---\nratings:\n  - [a, x]\n', /a YAML document/],
    [
      'dump.sql',
      '-- MySQL dump\n\nCREATE TABLE `r` (u int);\nINSERT INTO `r` VALUES (1,2);\n',
      /dump of a database.*sqlite:/,
    ],
    ['dump.sql', 'INSERT INTO ratings VALUES (1,2,3),\n(4,5,1);\n', /dump of a database/],
    ['dump.txt', 'COPY r (user, item) FROM stdin;\n1\t2\n\\.\n', /dump of a database/],
    ['r.mtx', '%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 5\n', /a Matrix Market file/],
    ['r.csv', '', /it is empty.*one rating per line/],
    ['r.csv', '\n\n', /it is empty/],
    ['r.csv', 'user,item,rating\n', /it has no ratings/],
    ['r.csv', 'user\n1\n2\n', /no column for the item; the header has "user"/],
    ['r.csv', 'item,rating\nx,4\n', /no column for the user; the header has "item", "rating"/],
    ['r.csv', 'user,item,rating\n"a,x,4\nb,y,3\n', /line 2: a quote is not closed/],
    ['r.csv', 'user,item,rating\rb,y,3\r', /CR alone/],
  ])('%s %j', async (name, content, message) => {
    const error = await refusal(name, content);
    expect(error.message).toMatch(message);
    expect(error.message).not.toMatch(/skip-bad-rows [2-9]/);
  });

  it('ids and headers that only look like it are read', async () => {
    for (const [k, text] of [
      '<user>,<item>\n<a>,<x>\n',
      '[a],x\n[b],y\n',
      '#a,x\n-b,y\n',
      'copy,x\nset,y\n',
    ].entries()) {
      writeFileSync(join(folder, 'ids.csv'), text);
      expect(await importSource(join(folder, 'ids.csv'), join(folder, `ids-${k}`))).toMatchObject({
        items: expect.any(Number),
      });
    }
  });
});

describe('rows that are all wrong in one way', () => {
  const rows = (row: (k: number) => string, header = 'user;item;rating') =>
    `${header}\n${Array.from({ length: 2400 }, (_, k) => row(k)).join('\n')}\n`;

  it.each([
    ['decimal commas', rows((k) => `u${k};x;4,5`), /decimal comma.*4\.5 for 4,5/],
    ['percentages', rows((k) => `u${k};x;${k % 101}%`), /a % sign.*--scale 0:100:1/],
    ['votes in words', rows((k) => `u${k};x;${k % 3 > 0}`), /a vote in words.*--scale 0:1:1/],
    ['votes in numbers', rows((k) => `u${k};x;${k % 3 > 0 ? 1 : -1}`), /not on the scale.*-1:1:2 for votes/],
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
