import {
  BudgetExceededError,
  costOf,
  type Ledger,
  type PlannedCost,
  type Protection,
  type Receipt,
  SpendRefusedError,
  UnprotectedRunError,
} from '@hushrec/ledger';

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
