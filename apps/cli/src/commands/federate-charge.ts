import type { Charge, Ledger, LedgerEntry, Receipt } from '@hushrec/ledger';
import type { CalibratedPlan, PrivacyEvent } from '@hushrec/privacy';
import type { CommandContext } from '../command.js';
import { type LedgerFlags, openDatasetLedger } from '../dataset-ledger.js';

/** A data set, and the account that its people have. */
export interface ChargedData {
  readonly directory: string;
  readonly account: string;
  readonly contentHash: string;
}

/** What a party is charged for. */
export interface ChargedJob {
  readonly job: string;
  readonly method: string;
  readonly plan: CalibratedPlan;
}

/** The job of a federated run, by the hash of its charter. */
export const jobOfCharter = (hash: string) => `federated ${hash}`;

/**
 * Charges a whole plan to the account of a data set, durably; a job that was paid for before costs nothing
 * more, but for what an earlier version left out (`raiseToTotal`).
 */
export async function chargePlan(
  data: ChargedData,
  flags: LedgerFlags,
  context: CommandContext,
  charged: ChargedJob,
): Promise<Receipt> {
  const { chargedEvent } = await import('@hushrec/privacy');
  const { ledger } = await openDatasetLedger(data.directory, flags, 'write');
  try {
    const raised = await raiseToTotal(ledger, data.account, charged);
    if (raised !== undefined) {
      context.say(raisedWords(raised.raise.number, raised.paid.number));
      return { entry: raised.paid.hash, number: raised.paid.number, resumed: true };
    }
    const { job, method, plan } = charged;
    const receipt = await ledger.spend({
      account: data.account,
      snapshot: data.contentHash,
      jobKey: job,
      method,
      protection: { unit: plan.unit, relation: plan.relation },
      charge: { kind: 'event', event: chargedEvent(plan) },
    });
    context.say(
      receipt.resumed ? 'Paid for before: nothing is charged again.' : `Charged to ${ledger.location}.`,
    );
    return receipt;
  } finally {
    await ledger.close();
  }
}

/** Notes that the run of a charge has ended; `note` says why where it broke off. */
export async function completeCharge(
  data: ChargedData,
  flags: LedgerFlags,
  receipt: Receipt,
  note?: string,
): Promise<void> {
  const { ledger } = await openDatasetLedger(data.directory, flags, 'write');
  try {
    await ledger.complete(data.account, receipt, note);
  } finally {
    await ledger.close();
  }
}

/** Parties of earlier versions were charged so: the lines of the first stage, whatever came after them. */
function firstStage({ releases }: CalibratedPlan): Charge {
  const events = releases.map(({ event, count }): PrivacyEvent => ({ kind: 'repeated', event, count }));
  return { kind: 'event', event: { kind: 'composed', events } };
}

/**
 * Raises the charge of a job that an earlier version charged with the first stage of its plan to the plan's
 * total, once: an entry of μ = √(total² − first²) beside it, since Gaussian releases add up by their μ².
 * Undefined where nothing was charged so.
 */
export async function raiseToTotal(
  ledger: Ledger,
  account: string,
  { job, method, plan }: ChargedJob,
): Promise<{ readonly paid: LedgerEntry; readonly raise: Receipt } | undefined> {
  const { canonicalJson } = await import('@hushrec/model');
  const { composedMu } = await import('@hushrec/privacy');
  const paid = await ledger.paidFor(account, job);
  const before = firstStage(plan);
  if (plan.total === undefined || before.kind !== 'event' || paid?.event.kind !== 'spend') return undefined;
  if (canonicalJson(paid.event.charge) !== canonicalJson(before)) return undefined;
  const owed = Math.sqrt(plan.total.mu ** 2 - composedMu(before.event) ** 2);
  const raise = await ledger.raise({
    account,
    jobKey: `${job} raised`,
    method,
    protection: { unit: plan.unit, relation: plan.relation },
    charge: { kind: 'event', event: { kind: 'gaussian', sensitivity: owed, noise: 1 } },
    note: raiseNote(paid.hash),
  });
  if (!raise.resumed) await ledger.complete(account, raise);
  return { paid, raise };
}

const raiseNote = (entry: string) => `raises entry ${entry} to the total of its plan`;

export const raisedWords = (raise: number, paid: number) =>
  `Entry ${raise} raises entry ${paid} to the total of its plan: an earlier version charged the first stage alone.`;

/**
 * Entries that look like charges of a first stage alone: a method in stages is charged as one Gaussian
 * release of its total, so one that was charged line by line was a party's, and nothing raised it since. The
 * entry does not hold the total; the charter does.
 */
export async function chargedInPart(ledger: Ledger, account: string): Promise<readonly LedgerEntry[]> {
  const spends = (await ledger.entries()).flatMap((entry) =>
    entry.account === account && entry.event.kind === 'spend' ? [{ entry, event: entry.event }] : [],
  );
  const raised = new Set(spends.map(({ event }) => event.note));
  return spends
    .filter(
      ({ entry, event: { method, charge } }) =>
        method === 'hush' &&
        charge.kind === 'event' &&
        charge.event.kind === 'composed' &&
        !raised.has(raiseNote(entry.hash)),
    )
    .map(({ entry }) => entry);
}
