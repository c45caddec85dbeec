import { join } from 'node:path';
import { readModelFolder } from '@hushrec/model/folder';
import { clearLeftOvers } from '../../../../packages/train/dist/publish/write-folder.js';
import { killed } from '../killed.mjs';

/** Models over one another: the old one or the new one is there. */
export function publishing(folder) {
  return async (_round, how) => {
    await killed(['publishing', folder, '0'], { ...how, mostMs: 150 });
    await clearLeftOvers(join(folder, 'model'));
    const { model } = await readModelFolder(join(folder, 'model'));
    return { fault: [1, 2].includes(model.offset) ? undefined : 'neither the old nor the new model' };
  };
}
