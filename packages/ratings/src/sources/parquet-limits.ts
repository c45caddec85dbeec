import type { AsyncBuffer, ColumnMetaData, FileMetaData, PageHeader } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';

/**
 * Limits of what a Parquet file may claim, as multiples of its own size, so that memory follows from bytes
 * that are there and not from numbers in them: at most 8 rows a byte (one bit a row; a real table of ratings
 * needs ten times that), besides the first 65,536; a page may unpack to 1,024 times its bytes, or to 64 MiB.
 */
const parquetLimits = {
  rowsPerByte: 8,
  freeRows: 1 << 16,
  unpackedPerByte: 1024,
  freeUnpacked: 1 << 26,
  largestHeader: 1 << 20,
} as const;

/** A file that claims what its bytes cannot hold. Caught where the file's name is known. */
export class ClaimError extends Error {}

/** A data page: its header, where its bytes begin, and the column it is of. */
export interface PagePlace {
  readonly header: PageHeader;
  readonly at: number;
  readonly chunk: ColumnMetaData;
}

/**
 * Walks the headers of every page of the named columns and compares what they claim with one another and with
 * the bytes that are there, before anything is allocated by them. Readers trust these numbers: one that says
 * 2³¹ − 1 rows takes a gigabyte, or the process along. O(pages) small reads; `visit` is told of each data
 * page.
 */
export async function checkParquetClaims(
  file: AsyncBuffer,
  metadata: FileMetaData,
  columns: readonly string[],
  visit: (page: PagePlace) => Promise<void> = async () => {},
): Promise<void> {
  const { rowsPerByte, freeRows } = parquetLimits;
  let rows = 0;
  for (const group of metadata.row_groups) {
    rows += count(group.num_rows, 'rows of a group');
    for (const name of columns) {
      const chunk = group.columns.find(({ meta_data }) => meta_data?.path_in_schema.join('.') === name);
      const about = chunk?.meta_data;
      if (about === undefined) throw new ClaimError(`a group of rows has no column ${name}`);
      const start = count(about.dictionary_page_offset ?? about.data_page_offset, 'place of a column');
      const first = Math.min(start, count(about.data_page_offset, 'place of a column'));
      const length = count(about.total_compressed_size, 'size of a column');
      if (first + length > file.byteLength) throw new ClaimError('a column ends after the file does');
      await checkPages(file, [first, first + length], Number(group.num_rows), (header, at) =>
        visit({ header, at, chunk: about }),
      );
    }
  }
  if (rows !== Number(metadata.num_rows)) throw new ClaimError('its groups have other rows than the table');
  if (rows > rowsPerByte * file.byteLength + freeRows)
    throw new ClaimError(`it claims ${rows} rows in ${file.byteLength} bytes`);
}

async function checkPages(
  file: AsyncBuffer,
  [from, to]: readonly [number, number],
  rows: number,
  visit: (header: PageHeader, at: number) => Promise<void>,
): Promise<void> {
  const { unpackedPerByte, freeUnpacked } = parquetLimits;
  let at = from;
  let values = 0;
  while (at < to && values < rows) {
    const { header, length } = await readHeader(file, at, to);
    const packed = count(header.compressed_page_size, 'size of a page');
    const unpacked = count(header.uncompressed_page_size, 'unpacked size of a page');
    at += length + packed;
    if (at > to) throw new ClaimError('a page ends after its column does');
    if (unpacked > Math.max(freeUnpacked, unpackedPerByte * packed))
      throw new ClaimError(`a page of ${packed} bytes claims to unpack to ${unpacked}`);
    if (header.type === 'DICTIONARY_PAGE') {
      if (count(header.dictionary_page_header?.num_values, 'entries of a dictionary') > unpacked)
        throw new ClaimError('a dictionary claims more entries than it has bytes');
      continue;
    }
    const data = header.data_page_header ?? header.data_page_header_v2;
    values += count(data?.num_values, 'values of a page');
    if (values > rows) throw new ClaimError('the pages of a column hold more values than there are rows');
    await visit(header, at - packed);
  }
  if (values !== rows) throw new ClaimError('the pages of a column hold fewer values than there are rows');
}

/** The header of the page at a place, read in growing pieces: its length is not known before it is parsed. */
async function readHeader(file: AsyncBuffer, at: number, to: number) {
  for (let size = 512; ; size *= 8) {
    const end = Math.min(to, at + size);
    const bytes = await file.slice(at, end);
    const reader = { view: new DataView(bytes), offset: 0 };
    try {
      const header = parquetHeader(reader);
      if (header.type === undefined) throw new ClaimError('a page is of no known type');
      return { header, length: reader.offset };
    } catch (error) {
      if (end === to || size >= parquetLimits.largestHeader) throw error;
    }
  }
}

function count(value: number | bigint | undefined, what: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 0) throw new ClaimError(`the ${what} is no count`);
  return number;
}
