import { createHash } from 'node:crypto';
import { canonicalJson } from '@hushrec/model/signing';

/**
 * Names one run so exactly that two runs with the same key release the same bytes: same data, same method and
 * settings, same planned releases, same noise. Such a repetition tells nobody anything new, so it is free.
 * The key depends on ratings and stays on this side: the ledger keeps a keyed hash of it, and nothing that is
 * published may hold it.
 */
export interface JobIdentity {
  /** Content hash of the data set. */
  readonly dataset: string;
  readonly method: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /**
   * What else decides the statistics: the part of the data that is trained on, public features by their
   * hashes.
   */
  readonly selection?: unknown;
  /** The calibrated plan. */
  readonly plan: object;
  /**
   * SHA-256 of the secret key all noise of the run derives from. A fresh key is a fresh run, and costs again.
   */
  readonly noiseKeyHash: string;
}

export function jobKeyOf(identity: JobIdentity): string {
  return createHash('sha256').update(canonicalJson(identity)).digest('hex');
}
