import { join } from 'node:path';
import { openDataset } from '@hushrec/ratings';
import { killed } from '../killed.mjs';

/** Imports over one another: the old data set or the new one is there, under the same account. */
export function importing(folder) {
  let account;
  return async (round, how) => {
    await killed(['importing', folder, String(round)], { ...how, mostMs: 150 });
    const { manifest } = await openDataset(join(folder, 'set'));
    if (![3000, 4000].includes(manifest.ratings + manifest.provenance.duplicates))
      return { fault: 'neither the old nor the new data set' };
    account ??= manifest.account.id;
    return { fault: manifest.account.id === account ? undefined : 'another account' };
  };
}
