import type { PrivacyRecord } from '@hushrec/privacy';
import type { CertificateStatement } from './certificate.js';
import { certifiedReleases } from './certified-release.js';

/** What the record of a run does not know about itself. */
export interface CertificationContext {
  readonly method: string;
  /** Content hash of the data set. */
  readonly dataset: string;
  readonly ledgerEntry: string | null;
  readonly codeVersion: string;
  /** How hyper-parameters were chosen: "fixed in advance", "tuned on this data without charge: …". */
  readonly tuning: string;
}

/**
 * The certificate of a run, from what it recorded. A run that recorded nothing (a method without privacy) gets a
 * certificate that says so.
 */
export function certify(record: PrivacyRecord, context: CertificationContext): CertificateStatement {
  const { plan } = record;
  const isPrivate = record.releases.length > 0;
  const finite = isPrivate && Number.isFinite(plan.epsilon);
  return {
    format: 'hushrec-certificate-1',
    method: context.method,
    unit: isPrivate ? plan.unit : 'none',
    relation: isPrivate ? plan.relation : 'none',
    released: plan.released,
    epsilon: finite ? plan.epsilon : null,
    delta: finite ? plan.delta : 0,
    accountant: finite ? plan.accountant : 'none',
    releases: certifiedReleases(record),
    ...(plan.claimedByPaper === undefined ? {} : { claimedByPaper: plan.claimedByPaper }),
    simulation: record.simulation,
    dataset: context.dataset,
    ledgerEntry: context.ledgerEntry,
    codeVersion: context.codeVersion,
    tuning: context.tuning,
  };
}
