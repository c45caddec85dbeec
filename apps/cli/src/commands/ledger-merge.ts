import type { Command } from 'commander';
import { balanceFields, balanceJson, balanceText } from '../balance-text.js';
import { addCommand, usualDelta } from '../command.js';
import { type LedgerFlags, withTwoAccounts } from '../dataset-ledger.js';

interface MergeOptions extends LedgerFlags {
  readonly note?: string;
}

/** `hushrec ledger merge`: two accounts of the same people become one. */
export function registerLedgerMerge(group: Command): void {
  addCommand<MergeOptions>(group, {
    usage: 'merge <account> <other>',
    summary: 'make one account of two that hold the same people: what both spent counts together',
    examples: ['hushrec ledger merge shop trial --note "same customers"'],
    fields: ['entry', ...balanceFields],
    configure: () => undefined,
    run: ([named, other], options, context) =>
      withTwoAccounts(named, other, options, async (ledger, account, absorbed) => {
        const entry = await ledger.merge(account.id, absorbed.id, options.note);
        context.say(
          entry === undefined
            ? `${account.name} and ${absorbed.name} are one account already.`
            : `Entry ${entry.number}: ${absorbed.name} is part of ${account.name} from now on. What both spent counts together, and the stricter grant holds until a new one is made.`,
        );
        const balance = await ledger.balance(account.id, usualDelta);
        return {
          json: { entry: entry ?? null, ...balanceJson(balance) },
          text: balanceText(balance, ledger),
        };
      }),
  });
}
