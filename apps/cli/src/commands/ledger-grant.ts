import type { GrantPeriod, Protection } from '@hushrec/ledger';
import { type Command, Option } from 'commander';
import { balanceFields, balanceJson, balanceText, stayingText } from '../balance-text.js';
import { addCommand, numberOption, OptionError } from '../command.js';
import { type LedgerFlags, withAccountLedger } from '../dataset-ledger.js';

interface GrantOptions extends LedgerFlags {
  readonly epsilon?: number;
  readonly delta?: number;
  readonly per?: GrantPeriod;
  readonly unit: Protection['unit'];
  readonly relation: Protection['relation'];
  readonly note?: string;
}

export function registerLedgerGrant(group: Command): void {
  addCommand<GrantOptions>(group, {
    usage: 'grant <account>',
    summary: 'set the total that all runs together may spend',
    examples: [
      'hushrec ledger grant sample --epsilon 3 --delta 1e-6',
      'hushrec ledger grant sample --epsilon 5 --delta 1e-6 --note "board, 3 May"',
      'hushrec ledger grant sample --epsilon 1 --delta 1e-6 --per year',
    ],
    fields: ['entry', ...balanceFields],
    configure: (command) =>
      command
        .option('--epsilon <number>', 'total ε', numberOption('epsilon'))
        .option('--delta <number>', 'total δ', numberOption('delta'))
        .addOption(
          new Option('--per <period>', 'the total starts anew in each period (once and for all)').choices([
            'week',
            'month',
            'quarter',
            'year',
          ] satisfies GrantPeriod[]),
        )
        .addOption(
          new Option('--unit <unit>', 'whom the budget protects')
            .choices(['user', 'rating-presence', 'rating-value'])
            .default('user'),
        )
        .addOption(
          new Option(
            '--relation <relation>',
            'what is hidden: whether the unit is there (add-remove), or which one it is (replace)',
          )
            .choices(['add-remove', 'replace'])
            .default('add-remove'),
        ),
    run: ([named], options, context) => {
      const { epsilon, delta, per } = options;
      if (epsilon === undefined || delta === undefined)
        throw new OptionError('A grant needs --epsilon and --delta: the total for all runs together.');
      return withAccountLedger(named, options, 'write', async ({ ledger, account }) => {
        const entry = await ledger.grant(account.id, {
          epsilon,
          delta,
          protection: { unit: options.unit, relation: options.relation },
          ...(per !== undefined && { period: per }),
          ...(options.note !== undefined && { note: options.note }),
        });
        if (per !== undefined) context.say(stayingText({ epsilon, delta, period: per }));
        const balance = await ledger.balance(account.id, delta);
        return { json: { entry, ...balanceJson(balance) }, text: balanceText(balance, ledger) };
      });
    },
  });
}
