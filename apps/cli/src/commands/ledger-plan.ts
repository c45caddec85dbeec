import type { Command } from 'commander';
import { addCommand, integerOption, numberOption, OptionError, usualDelta } from '../command.js';
import { addLedgerFlags, type LedgerFlags, withAccountLedger } from '../dataset-ledger.js';
import { deltaText, lowerBoundText } from '../number-text.js';

interface PlanOptions extends LedgerFlags {
  readonly runs?: number;
  readonly epsilon?: number;
  readonly delta: number;
}

/**
 * `hushrec ledger plan`: how much each of several equal runs may take, by composition instead of division.
 */
export function registerLedgerPlan(group: Command): void {
  addCommand<PlanOptions>(group, {
    usage: 'plan [account]',
    summary: 'how much each of several runs may take, within a total or within what is left of an account',
    examples: [
      'hushrec ledger plan --runs 12 --epsilon 4 --delta 1e-6',
      'hushrec ledger plan sample --runs 12',
    ],
    fields: ['runs', 'epsilon', 'delta', 'each', 'account', 'ledger'],
    configure: (command) =>
      addLedgerFlags(command)
        .option('--runs <n>', 'how many equal runs are to come', integerOption('runs', 1))
        .option('--epsilon <number>', 'total ε (that of the account’s grant)', numberOption('epsilon'))
        .option('--delta <number>', 'δ of the total and of each run', numberOption('delta'), usualDelta),
    run: async ([named], options) => {
      const { runs, epsilon, delta } = options;
      if (runs === undefined) throw new OptionError('Say with --runs how many runs are to come.');
      if (named === undefined) {
        if (epsilon === undefined || !Number.isFinite(epsilon))
          throw new OptionError('Name an account, or give a total with --epsilon and --delta.');
        const { epsilonOfEqualRuns } = await import('@hushrec/ledger');
        const { promisedGaussianDelta, tightestEpsilon } = await import('@hushrec/privacy');
        promisedGaussianDelta(delta);
        const each = epsilonOfEqualRuns({ runs, epsilon, delta, spent: [], accountant: tightestEpsilon });
        return {
          json: { runs, epsilon, delta, each, account: null, ledger: null },
          text: planText(runs, each, delta, `within ε = ${epsilon} at δ = ${deltaText(delta)}`, epsilon),
        };
      }
      if (epsilon !== undefined)
        throw new OptionError('An account has its own total: leave out --epsilon, or the account.');
      return withAccountLedger(named, options, 'read', async ({ ledger, account }) => {
        const { grant } = await ledger.balance(account.id, delta);
        const each = await ledger.planRuns(account.id, runs);
        if (grant === null || each === undefined)
          throw new OptionError(
            `${account.name} has no grant to stay within. Give a total with --epsilon and --delta, or grant one first.`,
          );
        return {
          json: {
            runs,
            epsilon: grant.epsilon,
            delta: grant.delta,
            each,
            account: account.id,
            ledger: ledger.location,
          },
          text: `${planText(runs, each, grant.delta, `within what is left of ε = ${grant.epsilon}${grant.period === null ? '' : ` a ${grant.period}`}`, grant.epsilon)}\nLedger ${ledger.location}`,
        };
      });
    },
  });
}

function planText(runs: number, each: number, delta: number, within: string, total: number): string {
  if (each === 0) return `Nothing fits: ${runs} more runs ${within} are not possible.`;
  return (
    `${runs} ${runs === 1 ? 'run' : 'runs'} with Gaussian noise ${within}: each may take ε = ${each} at δ = ${deltaText(delta)}` +
    `${runs === 1 ? '' : `, by composition; dividing would give ε = ${lowerBoundText(total / runs)}`}.\n` +
    `Train each with --epsilon ${each} --delta ${deltaText(delta)}.`
  );
}
