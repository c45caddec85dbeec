import { type Ledger, type LedgerOptions, openLedger as openIt } from '@hushrec/ledger';
import {
  callback,
  checkName,
  checkOptions,
  finiteNumber,
  flag,
  name,
  type OptionShape,
} from './checked-options.js';

const ledgerOptions: OptionShape<LedgerOptions> = {
  accountant: callback,
  patience: finiteNumber,
  markIn: name,
  acceptingLoss: flag,
  now: callback,
  randomName: callback,
  create: flag,
};

/**
 * Opens the ledger at a `postgres://` address or in a SQLite file. Throws `LedgerMissingError` where there is
 * none and none is to be made, `LedgerLostError` where there is none, or another, and the data set of
 * `markIn` remembers one.
 */
export async function openLedger(location: string, options: LedgerOptions = {}): Promise<Ledger> {
  checkName('openLedger', 'the location', location);
  checkOptions<LedgerOptions>('openLedger', ledgerOptions, options);
  return openIt(location, options);
}
