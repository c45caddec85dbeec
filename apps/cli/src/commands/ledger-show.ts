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
    fields: [...balanceFields, 'left', 'ledger', 'head', 'chargedInPart'],
    configure: (command) =>
      addStatedDelta(command).option(
        '--expect <hash>',
        'fail unless this entry is still in the ledger (from a certificate or an earlier head)',
      ),
    run: ([named], options) =>
      withAccountLedger(named, options, 'read', async ({ ledger, account }) => {
        const { chargedInPart } = await import('@hushrec/ledger');
        const head = await ledger.check();
        if (options.expect !== undefined) await ledger.expectEntry(options.expect);
        const balance = await ledger.balance(account.id, options.delta);
        const inPart = (await chargedInPart(ledger, account.id)).map(({ number }) => number);
        return {
          json: {
            ...balanceJson(balance),
            left: epsilonLeft(balance) ?? null,
            ledger: ledger.location,
            head,
            chargedInPart: inPart,
          },
          text: [balanceText(balance, ledger), ...inPartWords(inPart)].join('\n'),
        };
      }),
  });
}

/** A notice about what earlier versions charged parties of federated runs. */
function inPartWords(entries: readonly number[]): string[] {
  if (entries.length === 0) return [];
  return [
    `In part   ${entries.length === 1 ? 'entry' : 'entries'} ${entries.join(', ')}: an earlier version charged parties of federated runs with the first stage of the plan alone. More was spent than is shown above. For each of these runs: hushrec ledger raise ACCOUNT --charter charter.json`,
  ];
}
