import type { FormatRequest, FormatRows } from '../formats/rating-format.js';
import { scaleOf } from '../rating-scale.js';
import { delimitedLayout, type LayoutOptions } from './delimited-layout.js';
import { readDelimited } from './read-delimited.js';
import type { SourceFile } from './source-file.js';

/**
 * The rows of a text of one rating a line; what was said of it counts, then what is `known`, then what its
 * first lines tell.
 */
export async function readText(
  file: SourceFile,
  known: LayoutOptions,
  request: FormatRequest,
): Promise<Pick<FormatRows, 'rows' | 'unused' | 'columns'>> {
  const { separator, header, columns, events, skipBadRows, catalogue, signal } = request;
  const layout = await delimitedLayout(file, {
    ...known,
    ...(separator !== undefined && { separator }),
    ...(header !== undefined && { header }),
    ...(columns !== undefined && { columns }),
    ...(events !== undefined && { events }),
  });
  const scale = scaleOf(request, layout.rating !== undefined);
  const rows = await readDelimited(file, layout, {
    scale,
    skipBadRows,
    catalogue,
    keep: events?.keep,
    signal,
  });
  return { rows, columns: layout.names, unused: layout.unused };
}
