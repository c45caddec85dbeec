import type { Command } from 'commander';
import { addCommand } from '../command.js';
import { type LedgerFlags, withAccountLedger } from '../dataset-ledger.js';

export function registerLedgerExport(group: Command): void {
  addCommand<LedgerFlags>(group, {
    usage: 'export <account>',
    summary: 'every entry of the ledger, of all accounts, after checking that none was changed',
    examples: ['hushrec ledger export sample > ledger-2026-05.json'],
    fields: ['format', 'ledger', 'head', 'entries'],
    configure: () => {},
    run: ([named], options) =>
      withAccountLedger(named, options, 'read', async ({ ledger }) => {
        const head = await ledger.check();
        const entries = (await ledger.entries()).slice(0, head.number);
        const json = { format: 'hushrec-ledger-2', ledger: ledger.location, head, entries };
        return { json, text: JSON.stringify(json, null, 2) };
      }),
  });
}
