import type { Command } from 'commander';
import { balanceFields, balanceJson, balanceText } from '../balance-text.js';
import { addCommand } from '../command.js';
import { type LedgerFlags, openAccountLedger, withAccountLedger } from '../dataset-ledger.js';
import { CommandError, exitCodes } from '../exit-codes.js';
import { charterOption, readCharterFile, withCharter } from './federate-role.js';

interface RaiseOptions extends LedgerFlags {
  readonly charter: string;
}

/** `hushrec ledger raise`: charges what an earlier version left out of a party's charge. */
export function registerLedgerRaise(group: Command): void {
  addCommand<RaiseOptions>(group, {
    usage: 'raise <account>',
    summary:
      'charge the rest of a federated run that an earlier version charged in part (`ledger show` says)',
    examples: ['hushrec ledger raise north-ratings --charter run/charter.json'],
    fields: ['entry', 'raised', ...balanceFields],
    configure: (command) => command.addOption(charterOption()),
    run: ([named], options, context) =>
      withCharter(options.charter, async () => {
        const { signed } = await readCharterFile(options.charter);
        const { charterHash } = await import('@hushrec/federate');
        const { method, plan } = signed.charter;
        const { jobOfCharter, makeRun } = await import('@hushrec/train');
        const { ledger: opened, account } = await openAccountLedger(named, options, 'write');
        const raised = await makeRun({
          kind: 'raise',
          source: { account },
          ...{ method, plan, job: jobOfCharter(await charterHash(signed.charter)) },
          ledger: async () => opened,
          say: context.say,
        });
        if (raised === undefined)
          throw new CommandError(
            exitCodes.wrongUsage,
            `${account.name} was not charged in part for the run of ${options.charter}: there is nothing to raise.`,
          );
        const { raise, paid } = raised;
        return withAccountLedger(named, options, 'read', async ({ ledger }) => {
          const balance = await ledger.balance(account.id, plan.delta);
          return {
            json: { entry: raise.entry, raised: paid.hash, ...balanceJson(balance) },
            text: balanceText(balance, ledger),
          };
        });
      }),
  });
}
