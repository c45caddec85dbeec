import {
  BudgetExceededError,
  type Charge,
  costOf,
  type Ledger,
  type LedgerEntry,
  type PlannedCost,
  type Protection,
  type Receipt,
  raiseNote,
  SpendRefusedError,
  UnprotectedRunError,
} from '@hushrec/ledger';
import { canonicalJson } from '@hushrec/model/signing';
import { type CalibratedPlan, composedMu, type PrivacyEvent } from '@hushrec/privacy';

/** What is paid for: whose people, which run, and what it will cost them. */
export interface Bill {
  readonly account: string;
  /** A key that was paid for is never charged again. */
  readonly jobKey: string;
  readonly method: string;
  readonly protection: Protection;
  readonly cost: PlannedCost;
  /** Content hash of the data; the ledger keeps a keyed hash of it. */
  readonly snapshot?: string;
  readonly note?: string;
}

export interface HowToPay {
  /** Where the account is for more than the run protects, record it as unprotected, told to do so. */
  readonly recordUnprotected?: boolean | undefined;
  readonly say?: ((line: string) => void) | undefined;
}

/** Charges the whole cost of a run, durably, once. Nothing about anyone leaves before this resolves. */
export async function pay(ledger: Ledger, { cost, ...bill }: Bill, how: HowToPay = {}): Promise<Receipt> {
  const asked = { ...bill, charge: costOf(cost) };
  const receipt = await ledger.spend(asked).catch((error: unknown) => {
    if (!(how.recordUnprotected === true && error instanceof UnprotectedRunError)) throw error;
    const { unit, relation } = bill.protection;
    const why = `it protects ${unit} (${relation}) alone`;
    return ledger.recordUnprotected({ ...asked, why }, { told: true });
  });
  how.say?.(
    receipt.resumed ? 'Paid for before: nothing is charged again.' : `Charged to ${ledger.location}.`,
  );
  return receipt;
}

/** Said before anything is written. */
const refusals = [BudgetExceededError, SpendRefusedError, UnprotectedRunError];

/**
 * Whether a charge that failed may stand: not where the ledger refused it, or appended nothing since its head
 * was `before`; a ledger that does not answer may have charged.
 */
export async function mayBePaid(ledger: Ledger, before: string, error: unknown): Promise<boolean> {
  if (refusals.some((refusal) => error instanceof refusal)) return false;
  const head = await ledger.head().catch(() => undefined);
  return head?.hash !== before;
}

/** A run that was charged in part, by its plan. */
export type PartlyPaid = Pick<Bill, 'account' | 'jobKey' | 'method'> & { readonly plan: CalibratedPlan };

/** The entry that was too little, and the one beside it. */
export interface RaisedCharge {
  readonly paid: LedgerEntry;
  readonly raise: Receipt;
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
  { account, jobKey, method, plan }: PartlyPaid,
): Promise<RaisedCharge | undefined> {
  const paid = await ledger.paidFor(account, jobKey);
  const before = firstStage(plan);
  if (plan.total === undefined || before.kind !== 'event' || paid?.event.kind !== 'spend') return undefined;
  if (canonicalJson(paid.event.charge) !== canonicalJson(before)) return undefined;
  const owed = Math.sqrt(plan.total.mu ** 2 - composedMu(before.event) ** 2);
  const raise = await ledger.raise({
    account,
    jobKey: `${jobKey} raised`,
    method,
    protection: { unit: plan.unit, relation: plan.relation },
    charge: { kind: 'event', event: { kind: 'gaussian', sensitivity: owed, noise: 1 } },
    note: raiseNote(paid.hash),
  });
  if (!raise.resumed) await ledger.complete(account, raise);
  return { paid, raise };
}
