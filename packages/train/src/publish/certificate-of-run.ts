import {
  type ItemNoise,
  type Method,
  noiseByPopularity,
  pluginOf,
  type TrainedModel,
} from '@hushrec/factorize';
import type { AccountStatement, CertificateStatement, ChainStatement } from '@hushrec/model';
import type { PrivacyRecord } from '@hushrec/privacy';
import { certify } from './certify.js';

/** What a run made and recorded. */
export interface RunToCertify extends Pick<TrainedModel, 'model' | 'facts' | 'memory'> {
  readonly record: PrivacyRecord;
  /** Told of every release. */
  readonly seen: ItemNoise;
}

/** What is known of a run before it begins, and the entry it was charged by. */
export interface RunTerms {
  readonly method: Method;
  /** Settings that were given, the others being defaults. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly declaredPeople?: number | undefined;
  readonly account: string;
  readonly accountAtIssue?: AccountStatement;
  readonly catalogue: CertificateStatement['catalogue'];
  readonly ledgerEntry: string | null;
  readonly codeVersion: string;
  /** The memory that the run began with, and the runs in it. */
  readonly remembered?: Pick<ChainStatement, 'memory' | 'earlier'>;
}

/** The certificate of a run, from its terms and from what it released. */
export function certificateOfRun(
  { model, facts, memory, record, seen }: RunToCertify,
  { method, given, declaredPeople, remembered, ...terms }: RunTerms,
): CertificateStatement {
  const counts = model.kind === 'factors' ? model.popularity : undefined;
  const plugin = pluginOf(method);
  // What is remembered makes vectors less noisy than the last of their releases.
  const vectors = (memory?.isUsed && memory.energies) || seen.last;
  const people = aboutPeople(declaredPeople, facts?.people);
  return certify(record, {
    ...terms,
    trained: {
      model,
      vectorNoise: counts && vectors && vectors.width > 1 ? noiseByPopularity(vectors, counts) : undefined,
    },
    ...(remembered && memory && { chain: { ...remembered, countNoise: memory.countNoise } }),
    method: method.id,
    ...(plugin && { plugin }),
    ...(people && { people }),
    tuning: tuningWords(method, given),
  });
}

function aboutPeople(declared: number | undefined, released: number | undefined) {
  if (released !== undefined && Number.isFinite(released))
    return { about: Math.max(1, Math.round(released)), from: 'release' } as const;
  return declared === undefined ? undefined : ({ about: declared, from: 'declaration' } as const);
}

/** What is known of how the settings came about. */
function tuningWords({ fittedOn }: Method, given: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(given).filter((name) => name !== 'feedback');
  const defaults =
    fittedOn === undefined
      ? 'on which data defaults were fitted is not recorded'
      : `defaults were fitted on ${fittedOn}`;
  return names.length === 0
    ? `Defaults of the method; ${defaults}.`
    : `Given: ${names.join(', ')}; how they were chosen is not recorded and not charged. For the others, ${defaults}.`;
}
