import { join } from 'node:path';
import { openLedger } from '@hushrec/ledger';
import { killed } from '../killed.mjs';

/** Spends on one ledger: each that was told is there, and no more than was asked for. */
export function spending(folder) {
  let toldSoFar = 0;
  let kills = 0;
  return async (round, how) => {
    const { told } = await killed(['spending', folder, String(round)], { ...how, mostMs: 150 });
    const ledger = await openLedger(join(folder, 'ledger.sqlite'));
    try {
      const spends = (await ledger.entries()).filter(({ event }) => event.kind === 'spend');
      await ledger.check();
      const known = new Set(spends.map(({ hash }) => hash));
      toldSoFar += told.length;
      kills++;
      if (told.some((entry) => !known.has(entry))) return { fault: 'a spend that was told is lost' };
      // Each kill may fall between a spend and the word of it.
      return { fault: spends.length > toldSoFar + kills ? 'more was spent than was asked for' : undefined };
    } finally {
      await ledger.close();
    }
  };
}
