import { BadDataError } from '../bad-data-error.js';
import type { SourceFile } from './source-file.js';

const csvOrParquet = 'Save it as CSV (UTF-8) or Parquet.';

/** First bytes of files that are no text, what they are, and what to do. */
const knownFormats: readonly (readonly [string, string, string])[] = [
  ['BZh', 'a file packed by bzip2', 'Unpack it first: bunzip2 FILE; or pack it with gzip.'],
  ['\xfd7zXZ\0', 'a file packed by xz', 'Unpack it first: unxz FILE; or pack it with gzip.'],
  ['\x04\x22\x4d\x18', 'a file packed by lz4', 'Unpack it first: lz4 -d FILE.'],
  ['7z\xbc\xaf\x27\x1c', 'a 7-Zip archive', 'Unpack it first, or pack it as zip.'],
  ['Rar!', 'a RAR archive', 'Unpack it first, or pack it as zip.'],
  ['\x1f\x8b', 'a file packed by gzip twice, or inside another one', 'Unpack it once.'],
  ['\x28\xb5\x2f\xfd', 'a file packed by zstd inside another packing', 'Unpack it once.'],
  ['ARROW1', 'an Arrow (Feather) file under another name', 'Name it .arrow, or say --format arrow.'],
  ['FEA1', 'a Feather file of version 1', 'Write it as Parquet: pandas.read_feather(FILE).to_parquet(…).'],
  ['ORC', 'an ORC file', 'Write it as Parquet: pandas.read_orc(FILE).to_parquet(…).'],
  ['Obj\x01', 'an Avro file', 'Write it as Parquet or CSV.'],
  ['PAR1', 'a Parquet file under another name', 'Name it .parquet, or say --format parquet.'],
  [
    'SQLite format 3\0',
    'an SQLite database',
    'Name it as a database: sqlite:FILE --query "SELECT user, item, rating FROM …".',
  ],
  ['\xd0\xcf\x11\xe0', 'a file of Excel or another office program', csvOrParquet],
  ['\x89HDF', 'an HDF5 file', csvOrParquet],
  ['\x93NUMPY', 'a NumPy array', csvOrParquet],
  ['%PDF', 'a PDF file', csvOrParquet],
];

/** @throws BadDataError where the first bytes are those of a format that is no text, with what to do */
function refuseKnownFormat(file: SourceFile, block: Buffer): void {
  const start = block.toString('latin1', 0, 4096);
  const [, what, advice] =
    knownFormats.find(([magic]) => start.startsWith(magic)) ??
    (start.startsWith('PK\x03\x04')
      ? /\[Content_Types\]|xl\/|mimetype/.test(start)
        ? ['', 'a workbook of Excel or another office program', csvOrParquet]
        : ['', 'a zip archive under another name', 'Name it .zip.']
      : start.slice(257, 262) === 'ustar'
        ? ['', 'a tar archive', 'Unpack it first (tar -xf FILE), or pack it as zip.']
        : []);
  // Letters may begin a text, too; a line of text has no NUL.
  if (what === undefined || (/^[A-Za-z]/.test(start) && !start.startsWith('SQLite') && !block.includes(0)))
    return;
  throw new BadDataError({ file: file.displayName }, `it is ${what}`, advice ?? '');
}

/**
 * Refuses bytes of a text that no text in UTF-8 or Latin-1 has: those of UTF-16, and NUL. `line` is that of
 * the first byte.
 */
export function refuseForeignText(file: SourceFile, block: Buffer, line: number): void {
  const isStart = line === 1;
  if (isStart) refuseKnownFormat(file, block);
  if (isStart && ((block[0] === 0xff && block[1] === 0xfe) || (block[0] === 0xfe && block[1] === 0xff)))
    throw new BadDataError({ file: file.displayName }, 'it is UTF-16 text', 'Convert it to UTF-8.');
  const nul = block.indexOf(0);
  if (nul < 0) return;
  throw new BadDataError(
    { file: file.displayName, line: line + linesBefore(block, nul) },
    'there is a NUL byte: the file is UTF-16 text, or no text at all',
    'Convert it to UTF-8.',
  );
}

function linesBefore(block: Buffer, end: number): number {
  let count = 0;
  for (let at = block.indexOf(10); at >= 0 && at < end; at = block.indexOf(10, at + 1)) count++;
  return count;
}
