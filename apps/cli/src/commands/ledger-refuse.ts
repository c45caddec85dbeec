import type { Command } from 'commander';
import { addCommand } from '../command.js';
import { type LedgerFlags, withAccountLedger } from '../dataset-ledger.js';

export function registerLedgerRefuse(group: Command): void {
  addCommand<LedgerFlags & { readonly note?: string }>(group, {
    usage: 'refuse <account>',
    summary: 'stop all spending on an account until the next grant',
    examples: ['hushrec ledger refuse sample --note "erasure request under way"'],
    fields: ['entry'],
    configure: () => undefined,
    run: ([named], options) =>
      withAccountLedger(named, options, 'write', async ({ ledger, account }) => {
        const entry = await ledger.refuse(account.id, options.note);
        return {
          json: { entry },
          text: `Entry ${entry.number} in ${ledger.location}: nothing more can be spent on this account until another grant.`,
        };
      }),
  });
}
