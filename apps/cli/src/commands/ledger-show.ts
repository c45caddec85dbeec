import type { Command } from 'commander';
import { balanceFields, balanceJson, balanceText } from '../balance-text.js';
import { epsilonLeft } from '../budget-left.js';
import { addCommand } from '../command.js';
import { addStatedDelta, type LedgerFlags, withAccountLedger } from '../dataset-ledger.js';

interface ShowOptions extends LedgerFlags {
  readonly delta: number;
  readonly expect?: string;
}

export function registerLedgerShow(group: Command): void {
  addCommand<ShowOptions>(group, {
    usage: 'show <account>',
    summary: 'what was granted, spent and is left, after checking the whole ledger',
    examples: [
      'hushrec ledger show sample',
      'hushrec ledger show sample --ledger postgres://host/privacy --json',
    ],
    fields: [...balanceFields, 'left', 'ledger', 'head'],
    configure: (command) =>
      addStatedDelta(command).option(
        '--expect <hash>',
        'fail unless this entry is still in the ledger (from a certificate or an earlier head)',
      ),
    run: ([named], options) =>
      withAccountLedger(named, options, 'read', async ({ ledger, account }) => {
        const head = await ledger.check();
        if (options.expect !== undefined) await ledger.expectEntry(options.expect);
        const balance = await ledger.balance(account.id, options.delta);
        return {
          json: {
            ...balanceJson(balance),
            left: epsilonLeft(balance) ?? null,
            ledger: ledger.location,
            head,
          },
          text: balanceText(balance, ledger),
        };
      }),
  });
}
