import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openDataset } from '@hushrec/ratings';
import { killed } from '../killed.mjs';

/** Imports over one another: the old data set or the new one is there, under the same account. */
export function importing(folder) {
  let account;
  let mostLeft = 0;
  return async (round, how) => {
    await killed(['importing', folder, String(round)], { ...how, mostMs: 150 });
    const { manifest } = await openDataset(join(folder, 'set'));
    const left = readdirSync(folder).filter((name) => name.startsWith('.set.partial-'));
    // One of this kill; those of another namespace go when they are a day old.
    mostLeft += how.asFirst ? 1 : 0;
    if (left.length > mostLeft + 1) return { fault: `${left.length} folders of killed imports were left` };
    if (![3000, 4000].includes(manifest.ratings + manifest.provenance.duplicates))
      return { fault: 'neither the old nor the new data set' };
    account ??= manifest.account.id;
    return { fault: manifest.account.id === account ? undefined : 'another account' };
  };
}
