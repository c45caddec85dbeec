import type {
  AccountStatement,
  CertificateStatement,
  ChainStatement,
  FederatedStatement,
  ItemModel,
} from '@hushrec/model';
import { certificateFormat, certifiedReleases, eventOfReleases, eventsOfChain } from '@hushrec/model/making';
import { type NoiseOverSignal, usefulnessOf } from '@hushrec/model/usefulness';
import { type PrivacyEvent, type PrivacyRecord, roundUpEpsilon, tightestEpsilon } from '@hushrec/privacy';

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
  /** The runs that it remembers, and the noise that is left on counts; absent where it is one run alone. */
  readonly chain?: Omit<ChainStatement, 'lastRun'>;
}

/**
 * The certificate of a run, from what it recorded: ε is recomputed from the releases by the tightest
 * accountant at the plan's δ, and rounded up. A plan in stages is certified at its total, also where less was
 * used: what the rule left unused is itself a function of the releases, so a smaller ε would not be a bound
 * known beforehand. A model that remembers earlier runs is a function of all of them: its ε is that of the
 * whole chain, with that of the last run beside it. A run that recorded nothing (a method without privacy)
 * gets a certificate that says so.
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
  const { chain } = context;
  const whole =
    chain === undefined || total === undefined
      ? { epsilon, accountant }
      : tightestEpsilon(
          { kind: 'composed', events: [...eventsOfChain(chain), ...ofLastRun(total.mu, releases)] },
          plan.delta,
        );
  const finite = Number.isFinite(epsilon);
  const usefulness =
    context.trained &&
    usefulnessOf(context.trained.model, releases, context.trained.vectorNoise, chain?.countNoise);
  return {
    format: certificateFormat,
    method: context.method,
    ...(context.plugin && { plugin: context.plugin }),
    unit: isPrivate ? plan.unit : 'none',
    relation: isPrivate ? plan.relation : 'none',
    released: plan.released,
    epsilon: finite ? roundUpEpsilon(whole.epsilon) : null,
    delta: finite ? plan.delta : 0,
    accountant: finite ? whole.accountant : 'none',
    releases,
    ...(finite && total && later && { staged: { mu: total.mu, rule: later.rule } }),
    ...(finite && chain && { chain: { ...chain, lastRun: roundUpEpsilon(epsilon) } }),
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

/** The total of a plan in stages, and what is charged besides it. */
function ofLastRun(mu: number, releases: CertificateStatement['releases']): PrivacyEvent[] {
  return [
    { kind: 'gaussian', sensitivity: mu, noise: 1 },
    ...releases.flatMap(({ mechanism, totalVariation = 1 }): PrivacyEvent[] =>
      mechanism === 'sampler-distance' ? [{ kind: mechanism, totalVariation }] : [],
    ),
  ];
}
