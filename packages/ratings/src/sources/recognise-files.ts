import { BadDataError } from '../bad-data-error.js';
import type { FileFormat, FormatRequest, SourceFiles } from '../formats/rating-format.js';

/** The first format of a list that takes these files for its own. */
export async function recogniseFiles(
  formats: readonly FileFormat[],
  found: SourceFiles,
  said: Pick<FormatRequest, 'separator' | 'header' | 'columns'>,
): Promise<FileFormat> {
  for (const format of formats) if (await format.recognises(found, said)) return format;
  throw new BadDataError(
    { file: found.source },
    'it is of no known format',
    `Known: ${formats.map(({ name }) => name).join(', ')}.`,
  );
}
