import type { Command } from 'commander';
import { addCommand } from '../command.js';
import { type LedgerFlags, withTwoAccounts } from '../dataset-ledger.js';

/** `hushrec ledger different`: the answer to “same people?” where it is no, on the record. */
export function registerLedgerDifferent(group: Command): void {
  addCommand<LedgerFlags & { readonly note?: string }>(group, {
    usage: 'different <account> <other>',
    summary: 'record that two accounts hold different people whose ids look alike',
    examples: ['hushrec ledger different shop club --note "both number their customers from 1"'],
    fields: ['entry', 'account', 'other', 'ledger'],
    configure: () => undefined,
    run: ([named, other], options) =>
      withTwoAccounts(named, other, options, async (ledger, one, two) => {
        const entry = await ledger.declareDifferent(one.id, two.id, options.note);
        return {
          json: { entry: entry ?? null, account: one, other: two, ledger: ledger.location },
          text:
            entry === undefined
              ? `It was recorded before that ${one.name} and ${two.name} hold different people.`
              : `Entry ${entry.number} in ${ledger.location}: ${one.name} and ${two.name} hold different people. They are no longer compared, and each has its own budget.`,
        };
      }),
  });
}
