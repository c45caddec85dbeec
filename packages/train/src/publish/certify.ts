import {
  type AccountStatement,
  type CertificateStatement,
  certificateFormat,
  certifiedReleases,
  eventOfReleases,
  type FederatedStatement,
  type ItemModel,
  type NoiseOverSignal,
  usefulnessOf,
} from '@hushrec/model';
import { type PrivacyRecord, roundUpEpsilon, tightestEpsilon } from '@hushrec/privacy';

/** What the record of a run does not know about itself. */
export interface CertificationContext {
  readonly method: string;
  readonly plugin?: CertificateStatement['plugin'];
  /** Random id of the ledger account. */
  readonly account: string;
  readonly accountAtIssue?: AccountStatement;
  readonly catalogue: CertificateStatement['catalogue'];
  readonly people?: CertificateStatement['people'];
  readonly ledgerEntry: string | null;
  readonly codeVersion: string;
  /** What is known of how settings were chosen. */
  readonly tuning: string;
  /** Who added up, where nobody held all ratings. */
  readonly federated?: FederatedStatement;
  /**
   * What was trained, and the noise over signal of the vectors it was made from: to say whether it is worth
   * using.
   */
  readonly trained?: { readonly model: ItemModel; readonly vectorNoise?: NoiseOverSignal | undefined };
}

/**
 * The certificate of a run, from what it recorded: ε is recomputed from the releases by the tightest
 * accountant at the plan's δ, and rounded up. A plan in stages is certified at its total, also where less was
 * used: what the rule left unused is itself a function of the releases, so a smaller ε would not be a bound
 * known beforehand. A run that recorded nothing (a method without privacy) gets a certificate that says so.
 */
export function certify(record: PrivacyRecord, context: CertificationContext): CertificateStatement {
  const { plan } = record;
  const releases = certifiedReleases(record);
  const isPrivate = releases.length > 0;
  const { total, later } = plan;
  const { epsilon, accountant } = !isPrivate
    ? { epsilon: Infinity, accountant: 'none' }
    : total === undefined
      ? tightestEpsilon(eventOfReleases(releases), plan.delta)
      : { epsilon: plan.epsilon, accountant: plan.accountant };
  const finite = Number.isFinite(epsilon);
  const usefulness =
    context.trained && usefulnessOf(context.trained.model, releases, context.trained.vectorNoise);
  return {
    format: certificateFormat,
    method: context.method,
    ...(context.plugin && { plugin: context.plugin }),
    unit: isPrivate ? plan.unit : 'none',
    relation: isPrivate ? plan.relation : 'none',
    released: plan.released,
    epsilon: finite ? roundUpEpsilon(epsilon) : null,
    delta: finite ? plan.delta : 0,
    accountant: finite ? accountant : 'none',
    releases,
    ...(finite && total && later && { staged: { mu: total.mu, rule: later.rule } }),
    ...(plan.claimedByPaper === undefined ? {} : { claimedByPaper: plan.claimedByPaper }),
    simulation: record.simulation,
    account: context.account,
    ...(context.accountAtIssue && { accountAtIssue: context.accountAtIssue }),
    catalogue: context.catalogue,
    // People are those who rated something: no source has a list of its own.
    ...(isPrivate && plan.unit === 'rating-presence' && { peopleListed: 'rated' }),
    ...(context.people && { people: context.people }),
    ledgerEntry: context.ledgerEntry,
    codeVersion: context.codeVersion,
    tuning: context.tuning,
    ...(context.federated && { federated: context.federated }),
    ...(usefulness && { usefulness }),
  };
}
