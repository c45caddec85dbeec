import type { Balance, Ledger, Protection } from '@hushrec/ledger';
import type { DatasetAccount } from '@hushrec/ratings';
import { type Command, Option } from 'commander';
import { epsilonLeft } from '../budget-left.js';
import { addCommand, numberOption, OptionError } from '../command.js';
import { addLedgerFlags, type LedgerFlags, openDatasetLedger } from '../dataset-ledger.js';
import { deltaText, epsilonText, lowerBoundText } from '../number-text.js';
import { registerLedgerTune } from './ledger-tune.js';

interface GrantOptions extends LedgerFlags {
  readonly epsilon?: number;
  readonly delta?: number;
  readonly unit: Protection['unit'];
  readonly relation: Protection['relation'];
  readonly note?: string;
}

interface ShowOptions extends LedgerFlags {
  readonly delta: number;
  readonly expect?: string;
}

export function registerLedger(program: Command): void {
  const group = program
    .command('ledger')
    .summary('the privacy budget of a data set over all runs')
    .description('The privacy budget of a data set over all runs: what may be spent, and what was.');

  addCommand<ShowOptions>(group, {
    usage: 'show <dataset>',
    summary: 'what was granted, spent and is left',
    examples: [
      'hushrec ledger show sample',
      'hushrec ledger show sample --ledger postgres://host/privacy --json',
    ],
    fields: [
      'account',
      'grant',
      'refused',
      'runs',
      'unfinishedRuns',
      'unprotectedRuns',
      'spent',
      'left',
      'ledger',
      'head',
    ],
    configure: (command) =>
      addLedgerFlags(command)
        .option(
          '--delta <number>',
          'δ at which to state ε where no grant names one',
          numberOption('delta'),
          1e-6,
        )
        .option(
          '--expect <hash>',
          'fail unless this entry is still in the ledger (from a certificate or an earlier head)',
        ),
    run: ([dataset], options) =>
      withLedger(dataset!, options, 'read', async (ledger, account) => {
        if (options.expect !== undefined) await ledger.expectEntry(options.expect);
        const balance = await ledger.balance(account.id, options.delta);
        const head = await ledger.head();
        return {
          json: {
            ...jsonOf(balance),
            left: epsilonLeft(balance) ?? null,
            ledger: ledger.location,
            head,
          },
          text: balanceText(balance, ledger, epsilonLeft(balance)),
        };
      }),
  });

  addCommand<GrantOptions>(group, {
    usage: 'grant <dataset>',
    summary: 'set the total that all runs together may spend',
    examples: [
      'hushrec ledger grant sample --epsilon 3 --delta 1e-6',
      'hushrec ledger grant sample --epsilon 5 --delta 1e-6 --note "board, 3 May"',
    ],
    fields: ['entry', 'account', 'grant', 'refused', 'runs', 'unfinishedRuns', 'unprotectedRuns', 'spent'],
    configure: (command) =>
      addLedgerFlags(command)
        .option('--epsilon <number>', 'total ε', numberOption('epsilon'))
        .option('--delta <number>', 'total δ', numberOption('delta'))
        .addOption(
          new Option('--unit <unit>', 'whom the budget protects')
            .choices(['user', 'rating-presence', 'rating-value'])
            .default('user'),
        )
        .addOption(
          new Option('--relation <relation>', 'in which sense')
            .choices(['add-remove', 'replace'])
            .default('add-remove'),
        )
        .option('--note <text>', 'who decided, and why'),
    run: ([dataset], options) => {
      const { epsilon, delta } = options;
      if (epsilon === undefined || delta === undefined)
        throw new OptionError('A grant needs --epsilon and --delta: the total for all runs together.');
      return withLedger(dataset!, options, 'write', async (ledger, account) => {
        const entry = await ledger.grant(account.id, {
          epsilon,
          delta,
          protection: { unit: options.unit, relation: options.relation },
          ...(options.note !== undefined && { note: options.note }),
        });
        const balance = await ledger.balance(account.id, delta);
        return {
          json: { entry, ...jsonOf(balance) },
          text: balanceText(balance, ledger, epsilonLeft(balance)),
        };
      });
    },
  });

  registerLedgerTune(group);

  addCommand<LedgerFlags & { note?: string }>(group, {
    usage: 'refuse <dataset>',
    summary: 'stop all spending on a data set until the next grant',
    examples: ['hushrec ledger refuse sample --note "erasure request under way"'],
    fields: ['entry'],
    configure: (command) => addLedgerFlags(command).option('--note <text>', 'who decided, and why'),
    run: ([dataset], options) =>
      withLedger(dataset!, options, 'write', async (ledger, account) => {
        const entry = await ledger.refuse(account.id, options.note);
        return {
          json: { entry },
          text: `Entry ${entry.number}: nothing more can be spent on this data set until another grant.`,
        };
      }),
  });

  addCommand<LedgerFlags>(group, {
    usage: 'export <dataset>',
    summary: 'every entry of the ledger, after checking that none was changed',
    examples: ['hushrec ledger export sample > ledger-2026-05.json'],
    fields: ['format', 'ledger', 'head', 'entries'],
    configure: addLedgerFlags,
    run: ([dataset], options) =>
      withLedger(dataset!, options, 'read', async (ledger) => {
        const entries = await ledger.entries();
        const json = {
          format: 'hushrec-ledger-1',
          ledger: ledger.location,
          head: await ledger.head(),
          entries,
        };
        return { json, text: JSON.stringify(json, null, 2) };
      }),
  });
}

async function withLedger<Result>(
  dataset: string,
  options: LedgerFlags,
  use: 'read' | 'write',
  work: (ledger: Ledger, account: DatasetAccount) => Promise<Result>,
): Promise<Result> {
  const { ledger, account } = await openDatasetLedger(dataset, options, use);
  try {
    return await work(ledger, account);
  } finally {
    await ledger.close();
  }
}

/** ε without bound is `null` in JSON. */
function jsonOf(balance: Balance) {
  return {
    ...balance,
    spent: balance.spent.map((each) => ({
      ...each,
      epsilon: Number.isFinite(each.epsilon) ? each.epsilon : null,
    })),
  };
}

function balanceText(balance: Balance, ledger: Ledger, left: number | undefined): string {
  const { grant, spent, runs, unfinishedRuns, refused } = balance;
  const protectionText = ({ unit, relation }: Protection) => `${unit}, ${relation}`;
  return [
    `Account   ${balance.account}`,
    `Ledger    ${ledger.location}`,
    `Granted   ${grant === null ? 'no limit was set; runs are recorded only' : `ε = ${grant.epsilon}, δ = ${deltaText(grant.delta)} (${protectionText(grant.protection)})${grant.note ? `: ${grant.note}` : ''}`}`,
    ...(refused ? ['Refused   nothing more may be spent until another grant'] : []),
    ...(spent.length === 0 ? ['Spent     nothing'] : []),
    ...spent.map(
      (each) =>
        `Spent     ε = ${epsilonText(each.epsilon)} at δ = ${deltaText(each.delta)} (${protectionText(each.protection)}; ${each.accountant})`,
    ),
    ...(left === undefined || grant === null
      ? []
      : [
          `Left      one more run with Gaussian noise may take ε = ${lowerBoundText(left)} at δ = ${deltaText(grant.delta)}`,
        ]),
    ...(balance.unprotectedRuns > 0
      ? [`Beside it ${balance.unprotectedRuns} without protection, recorded as such: no ε covers them`]
      : []),
    `Runs      ${runs}${unfinishedRuns > 0 ? `, of which ${unfinishedRuns} did not report their end (they count all the same)` : ''}`,
  ].join('\n');
}
