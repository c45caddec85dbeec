import { type PrivacyRecord, roundUpEpsilon, tightestEpsilon } from '@hushrec/privacy';
import type { CertificateStatement, FederatedStatement } from './certificate.js';
import { certifiedReleases, eventOfReleases } from './certified-release.js';
import type { ItemModel } from './item-model.js';
import { type NoiseOverSignal, usefulnessOf } from './usefulness/usefulness.js';

/** What the record of a run does not know about itself. */
export interface CertificationContext {
  readonly method: string;
  /** Content hash of the data set. */
  readonly dataset: string;
  readonly ledgerEntry: string | null;
  readonly codeVersion: string;
  /** How hyper-parameters were chosen: "fixed in advance", "tuned on this data without charge: …". */
  readonly tuning: string;
  /** Who added up, where nobody held all ratings. */
  readonly federated?: FederatedStatement;
  /** What was trained, and the noise over signal of the vectors it was made from: to say whether it is worth using. */
  readonly trained?: { readonly model: ItemModel; readonly vectorNoise?: NoiseOverSignal | undefined };
}

/**
 * The certificate of a run, from what it recorded: ε is recomputed from the releases by the tightest accountant at the
 * plan's δ, and rounded up. A run that recorded nothing (a method without privacy) gets a certificate that says so.
 */
export function certify(record: PrivacyRecord, context: CertificationContext): CertificateStatement {
  const { plan } = record;
  const releases = certifiedReleases(record);
  const isPrivate = releases.length > 0;
  const { epsilon, accountant } = isPrivate
    ? tightestEpsilon(eventOfReleases(releases), plan.delta)
    : { epsilon: Infinity, accountant: 'none' };
  const finite = Number.isFinite(epsilon);
  const usefulness =
    context.trained && usefulnessOf(context.trained.model, releases, context.trained.vectorNoise);
  return {
    format: 'hushrec-certificate-1',
    method: context.method,
    unit: isPrivate ? plan.unit : 'none',
    relation: isPrivate ? plan.relation : 'none',
    released: plan.released,
    epsilon: finite ? roundUpEpsilon(epsilon) : null,
    delta: finite ? plan.delta : 0,
    accountant: finite ? accountant : 'none',
    releases,
    ...(plan.claimedByPaper === undefined ? {} : { claimedByPaper: plan.claimedByPaper }),
    simulation: record.simulation,
    dataset: context.dataset,
    ledgerEntry: context.ledgerEntry,
    codeVersion: context.codeVersion,
    tuning: context.tuning,
    ...(context.federated && { federated: context.federated }),
    ...(usefulness && { usefulness }),
  };
}
