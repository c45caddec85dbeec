import { BadDataError } from '../bad-data-error.js';
import type { SourceFile } from './source-file.js';

const csvOrParquet = 'Save it as CSV (UTF-8) or Parquet.';
const pickled = 'Write it as Parquet: pandas.read_pickle(FILE).to_parquet(…).';
const rData = 'Write it as CSV: write.csv(…, row.names = FALSE, fileEncoding = "UTF-8").';

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
  ['\x1f\x9d', 'a file packed by compress (.Z)', 'Unpack it first: uncompress FILE; or pack it with gzip.'],
  ['\x5d\0\0', 'a file packed by lzma', 'Unpack it first: unlzma FILE; or pack it with gzip.'],
  ['\x80\x04', 'a pickle of Python', pickled],
  ['\x80\x05', 'a pickle of Python', pickled],
  ['RDX', 'a file of R', rData],
  ['X\n\0', 'a file of R', rData],
  ['MATLAB', 'a file of MATLAB', csvOrParquet],
  ['$FL', 'a file of SPSS', csvOrParquet],
  ['<stata_dta>', 'a file of Stata', csvOrParquet],
  ['\x89PNG', 'a picture', 'Give a file with one rating per line.'],
  ['\xff\xd8\xff', 'a picture', 'Give a file with one rating per line.'],
];

const table = 'Export the table as CSV (UTF-8) or Parquet.';

/** Documents that are text, by their first line that is no comment, and what to do. */
const knownDocuments: readonly (readonly [RegExp, string, string])[] = [
  [
    /^<(?:!doctype|html)\b/i,
    'a web page',
    'If it was fetched from an address, the page may say what went wrong: open it in a browser.',
  ],
  [/^<(?:\?xml\b|[a-z][^<>,;\t]*>$)/i, 'an XML document', table],
  [
    /^\[$|^\[\s*[[{]/,
    'a JSON list',
    'Write one object per line, {"user": …, "item": …, "rating": …}: jq -c ".[]" FILE > FILE.jsonl.',
  ],
  [
    /^(?:create (?:table|database|schema|type)|insert into|drop table|lock tables|pragma \w|begin( transaction)?;|start transaction;|set \w+ ?=|copy .* from stdin)/i,
    'a dump of a database, in SQL',
    'Load it into the database and read it from there: postgres://… or sqlite:FILE with --query.',
  ],
  [/^(?:---|- [a-z]\w*:.*|[a-z]\w*:)$/i, 'a YAML document', table],
  [
    /^%%MatrixMarket\b/,
    'a Matrix Market file',
    'Leave out the lines that begin with % and the one of sizes after them, and name it .csv with --separator " ".',
  ],
];

/** @throws BadDataError where the first bytes are those of a format that is no text, with what to do */
function refuseKnownFormat(file: SourceFile, block: Buffer): void {
  const start = block.toString('latin1', 0, 4096);
  const document = documentIn(start);
  if (document !== undefined)
    throw new BadDataError({ file: file.displayName }, `it is ${document[1]}`, document[2]);
  const [, what, advice] =
    knownFormats.find(([magic]) => start.startsWith(magic)) ??
    (start.startsWith('PK\x03\x04')
      ? /\[Content_Types\]|xl\/|mimetype/.test(start)
        ? ['', 'a workbook of Excel or another office program', csvOrParquet]
        : /\.npy/.test(start)
          ? ['', 'an archive of NumPy arrays', csvOrParquet]
          : ['', 'a zip archive under another name', 'Name it .zip.']
      : start.slice(257, 262) === 'ustar'
        ? ['', 'a tar archive', 'Unpack it first (tar -xf FILE), or pack it as zip.']
        : start.slice(8, 12) === 'DUCK'
          ? ['', 'a DuckDB database', `${table} COPY … TO 'ratings.parquet' does it.`]
          : []);
  // Letters may begin a text, too; a line of text has no NUL.
  if (what === undefined || (/^[A-Za-z$]/.test(start) && !start.startsWith('SQLite') && !block.includes(0)))
    return;
  throw new BadDataError({ file: file.displayName }, `it is ${what}`, advice ?? '');
}

function documentIn(start: string) {
  if (start.includes('\0')) return undefined;
  const isComment = (line: string) => line === '' || line.startsWith('--') || line.startsWith('/*');
  const lines = start.replace(/^\xef\xbb\xbf/, '').split(/\r\n|\r|\n/, 100);
  const first = lines.map((line) => line.trim()).find((line) => !isComment(line) || line === '---');
  return first === undefined ? undefined : knownDocuments.find(([pattern]) => pattern.test(first));
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
  const where = { file: file.displayName, line: line + linesBefore(block, nul) };
  if (isLikeUtf16(block.subarray(nul & ~1, (nul & ~1) + 4096)))
    throw new BadDataError(where, 'there are NUL bytes as in UTF-16 text', 'Convert it to UTF-8.');
  throw new BadDataError(
    where,
    'there is a NUL byte, which no text has: the file is damaged, or it is no text at all',
    `Look at what wrote it. ${csvOrParquet}`,
  );
}

/** In UTF-16 the upper bytes of digits, separators and line ends are zero, and no lower byte is. */
function isLikeUtf16(bytes: Buffer): boolean {
  const zeros = [0, 0];
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === 0) zeros[at & 1]++;
  return Math.min(...zeros) === 0 && Math.max(...zeros) > Math.max(3, bytes.length / 32);
}

function linesBefore(block: Buffer, end: number): number {
  let count = 0;
  for (let at = block.indexOf(10); at >= 0 && at < end; at = block.indexOf(10, at + 1)) count++;
  return count;
}
