import type { AsyncBuffer, FileMetaData, PageHeader } from 'hyparquet';
import { decompressPage } from 'hyparquet/src/datapage.js';
import { getMaxDefinitionLevel, getMaxRepetitionLevel, getSchemaPath } from 'hyparquet/src/schema.js';
import { compressors } from 'hyparquet-compressors';
import { ClaimError, type PagePlace } from './parquet-limits.js';

/**
 * What writers may add to the last run of a page: a whole number of groups of eight, and some leave more than
 * that.
 */
const slack = 1024;

/**
 * Walks the runs of levels and of dictionary indices in one data page. The reader fills an array run by run
 * and believes each run's length, which is a number of its own in the page: one that says 2³¹ takes minutes
 * and gigabytes. O(runs) after unpacking the page.
 */
export async function checkRuns(
  file: AsyncBuffer,
  metadata: FileMetaData,
  { header, at, chunk }: PagePlace,
): Promise<void> {
  const packed = new Uint8Array(await file.slice(at, at + header.compressed_page_size));
  const path = getSchemaPath(metadata.schema, chunk.path_in_schema);
  const levels = [getMaxRepetitionLevel(path), getMaxDefinitionLevel(path)];
  const { data_page_header: first, data_page_header_v2: second } = header;
  const unpack = (bytes: Uint8Array, size: number) => decompressPage(bytes, size, chunk.codec, compressors);
  if (first !== undefined) {
    const bytes = unpack(packed, header.uncompressed_page_size);
    const view = viewOf(bytes);
    let offset = 0;
    for (const most of levels) {
      if (most === 0) continue;
      const length = view.getUint32(offset, true);
      checkHybrid(view, offset + 4, widthOf(most), first.num_values);
      offset += 4 + length;
    }
    checkIndices(view, offset, first, chunk.type);
  } else if (second !== undefined) {
    const lengths = [second.repetition_levels_byte_length, second.definition_levels_byte_length];
    if (!lengths.every((length) => length >= 0)) throw new ClaimError('the levels of a page have no length');
    let offset = 0;
    levels.forEach((most, which) => {
      if (most > 0) checkHybrid(viewOf(packed), offset, widthOf(most), second.num_values);
      offset += lengths[which];
    });
    const rest = packed.subarray(offset);
    const bytes =
      second.is_compressed === false ? rest : unpack(rest, header.uncompressed_page_size - offset);
    checkIndices(viewOf(bytes), 0, second, chunk.type);
  }
}

type DataHeader = NonNullable<PageHeader['data_page_header'] | PageHeader['data_page_header_v2']>;

function checkIndices(
  view: DataView,
  offset: number,
  { encoding, num_values: values }: DataHeader,
  type: string,
): void {
  if (!/^(?:RLE|(?:PLAIN|RLE)_DICTIONARY)$/.test(encoding) || offset >= view.byteLength) return;
  // Truth values carry the length of their runs, indices the number of their bits.
  if (type === 'BOOLEAN') checkHybrid(view, offset + 4, 1, values);
  else if (view.getUint8(offset) > 0) checkHybrid(view, offset + 1, view.getUint8(offset), values);
}

/** Runs of at most so many values. Ends with the bytes: where values are missing there are fewer of them. */
function checkHybrid(view: DataView, start: number, width: number, values: number): void {
  let offset = start;
  for (let seen = 0; seen < values && offset < view.byteLength; ) {
    let header = 0;
    for (let shift = 0; ; shift += 7) {
      if (offset >= view.byteLength || shift > 28) throw new ClaimError('a run of values has no length');
      const byte = view.getUint8(offset++);
      header = (header | ((byte & 0x7f) << shift)) >>> 0;
      if (byte < 0x80) break;
    }
    const isPacked = (header & 1) === 1;
    const run = (header >>> 1) * (isPacked ? 8 : 1);
    if (run > values - seen + slack)
      throw new ClaimError(`a run claims ${run} values in a page of ${values}`);
    offset += isPacked ? (run / 8) * width : (width + 7) >> 3;
    seen += run;
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Bits of a level. */
function widthOf(most: number): number {
  return 32 - Math.clz32(most);
}
