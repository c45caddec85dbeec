import type { Command } from 'commander';
import { OptionError } from '../command.js';
import { addLedgerFlags } from '../dataset-ledger.js';
import { registerLedgerAcceptLoss } from './ledger-accept-loss.js';
import { registerLedgerDifferent } from './ledger-different.js';
import { registerLedgerExport } from './ledger-export.js';
import { registerLedgerGrant } from './ledger-grant.js';
import { registerLedgerMerge } from './ledger-merge.js';
import { registerLedgerPlan } from './ledger-plan.js';
import { registerLedgerRefuse } from './ledger-refuse.js';
import { registerLedgerShow } from './ledger-show.js';
import { registerLedgerTune } from './ledger-tune.js';

/** Commands that write nothing. */
const readers = ['show', 'plan', 'export'];

export function registerLedger(program: Command): void {
  const group = program
    .command('ledger')
    .summary('the privacy budget of an account over all runs')
    .description(
      'The privacy budget of an account (the people behind a data set, over all its snapshots): what may be spent, and what was. <account> is a data set folder, or the name or id of an account.',
    );
  addLedgerFlags(group)
    .option('--note <text>', 'who decided, and why: kept with the entry')
    .hook('preAction', (_, command) => {
      if (readers.includes(command.name()) && command.optsWithGlobals<{ note?: string }>().note !== undefined)
        throw new OptionError(`ledger ${command.name()} writes no entry: leave --note out.`);
    });
  registerLedgerShow(group);
  registerLedgerGrant(group);
  registerLedgerPlan(group);
  registerLedgerTune(group);
  registerLedgerRefuse(group);
  registerLedgerMerge(group);
  registerLedgerDifferent(group);
  registerLedgerExport(group);
  registerLedgerAcceptLoss(group);
}
