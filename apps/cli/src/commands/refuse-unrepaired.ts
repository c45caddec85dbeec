import { CommandError, exitCodes } from '../exit-codes.js';

/** Parties do not run dpimf as printed: what it releases about their people is proved by nothing. */
export function refuseUnrepaired({ repaired }: { readonly repaired: boolean }): void {
  if (!repaired)
    throw new CommandError(
      exitCodes.privacyRefused,
      'repaired=false proves nothing and publishes raw fits; `hushrec reproduce dpimf/table3` runs the printed protocol.',
    );
}
