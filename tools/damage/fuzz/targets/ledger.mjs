// Ledger files with flipped bits, noise, lost pages and cut ends: refused by name, or exactly what was
// written; never a decision that is more generous than that of the undamaged ledger.
import { tryDamagedLedgers } from '../../../../packages/ledger/dist/damaged-ledgers.test.data.js';
import { inputsOf } from '../targets.mjs';

export async function prepare() {
  const count = inputsOf('ledger');
  return {
    attempt: async (random) => {
      const { wrong } = await tryDamagedLedgers(count, random.below(2 ** 31));
      return wrong.length === 0 ? `batches of ${count} refused or unchanged` : `! ${wrong[0]}`;
    },
  };
}
