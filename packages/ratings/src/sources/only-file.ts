import { BadDataError } from '../bad-data-error.js';
import type { SourceFile } from './source-file.js';

/** The file of a source that must be one file. */
export function onlyFile({
  source,
  files,
}: {
  readonly source: string;
  readonly files: readonly SourceFile[];
}): SourceFile {
  if (files.length === 1) return files[0];
  throw new BadDataError(
    { file: source },
    files.length === 0 ? 'there is no file in it' : `there are ${files.length} files in it and none is known`,
    'Name the file with the ratings.',
  );
}
