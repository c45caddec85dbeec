import { join } from 'node:path';
import type { DatasetManifest } from '../rating-matrix.js';
import { damaged, withCheckedFile } from './checked-file.js';
import type { FileReader } from './feature-tables.js';

/** Reads files of a data set after their hashes were compared with the manifest. */
export function fileReader(directory: string, manifest: DatasetManifest): FileReader {
  return (name, use) => {
    const expected = manifest.files[name];
    if (expected === undefined) throw damaged(join(directory, 'dataset.json'), `it does not list ${name}`);
    return withCheckedFile(join(directory, name), expected, use);
  };
}
