import type { CalibratedPlan } from '@hushrec/privacy';
import type { CommandContext } from '../command.js';
import { type LedgerFlags, openDatasetLedger } from '../dataset-ledger.js';

/**
 * Charges a whole plan to the account of a data set, durably; a job that was paid for before costs nothing
 * more. Gives the ledger's entry.
 */
export async function chargePlan(
  data: { readonly directory: string; readonly account: string; readonly contentHash: string },
  flags: LedgerFlags,
  context: CommandContext,
  { job, method, plan }: { readonly job: string; readonly method: string; readonly plan: CalibratedPlan },
): Promise<string> {
  const { ledger } = await openDatasetLedger(data.directory, flags, 'write');
  try {
    const receipt = await ledger.spend({
      account: data.account,
      snapshot: data.contentHash,
      jobKey: job,
      method,
      protection: { unit: plan.unit, relation: plan.relation },
      charge: {
        kind: 'event',
        event: {
          kind: 'composed',
          events: plan.releases.map(({ event, count }) => ({ kind: 'repeated', event, count }) as const),
        },
      },
    });
    context.say(
      receipt.resumed ? 'Paid for before: nothing is charged again.' : `Charged to ${ledger.location}.`,
    );
    return receipt.entry;
  } finally {
    await ledger.close();
  }
}
