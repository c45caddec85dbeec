import type { Command } from 'commander';
import { addCommand, OptionError } from '../command.js';
import { type LedgerFlags, openDatasetLedger } from '../dataset-ledger.js';
import { CommandError, exitCodes } from '../exit-codes.js';

export function registerLedgerAcceptLoss(group: Command): void {
  addCommand<LedgerFlags & { readonly note?: string }>(group, {
    usage: 'accept-loss <dataset>',
    summary: 'continue although this data set’s ledger is lost, and record why',
    examples: ['hushrec ledger accept-loss sample --note "disk failed, last copy is of 3 May"'],
    fields: ['entry', 'lost', 'ledger'],
    configure: () => undefined,
    run: async ([dataset], options) => {
      const { note } = options;
      if (note === undefined || note.trim() === '')
        throw new OptionError('Say what happened with --note "…"; the ledger keeps it.');
      const { readMark } = await import('@hushrec/ledger');
      const { ledger, account, directory } = await openDatasetLedger(dataset, options, 'accept loss');
      try {
        const lost = await readMark(directory!).catch(() => ({
          number: 0,
          hash: '0'.repeat(64),
          ledger: '',
        }));
        if (lost === undefined || (lost.ledger !== '' && (await isThere(ledger.expectMark(lost)))))
          throw new CommandError(
            exitCodes.wrongUsage,
            `${ledger.location} holds all that ${dataset} remembers of it: nothing is lost.`,
          );
        await ledger.nameAccount(account.id, account.name);
        const entry = await ledger.acceptLoss(account.id, lost, note);
        return {
          json: { entry, lost, ledger: ledger.location },
          text: `Entry ${entry.number} in ${ledger.location}: what was spent before no longer counts. Grant again, for no more than what is really left.`,
        };
      } finally {
        await ledger.close();
      }
    },
  });
}

async function isThere(check: Promise<void>): Promise<boolean> {
  const { LedgerLostError } = await import('@hushrec/ledger');
  return check.then(
    () => true,
    (error: unknown) => {
      if (error instanceof LedgerLostError) return false;
      throw error;
    },
  );
}
