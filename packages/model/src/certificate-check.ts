import {
  type AccountStatement,
  type Certificate,
  type CertificateSignature,
  type CertifiedRelease,
  type ChainStatement,
  certificateFormat,
  type FederatedStatement,
  type PluginStatement,
} from './certificate.js';
import {
  amount,
  type FieldFault,
  fieldsOf,
  flag,
  hash,
  is,
  listOf,
  number,
  oneOf,
  optional,
  orNull,
  text,
  whole,
} from './closed-fields.js';
import { fileNames } from './file-names.js';
import type { NeededRange, NoiseOverSignal, Usefulness } from './usefulness/usefulness.js';

type CoveredFiles = {
  readonly [Name in
    | 'manifest'
    | 'tensors'
    | 'certificateText'
    | 'releases'
    | 'memory' as (typeof fileNames)[Name]]?: string;
};

const release = fieldsOf<CertifiedRelease>({
  name: text,
  mechanism: text,
  sensitivity: amount,
  noise: amount,
  count: amount,
  rate: optional(amount),
  dimension: optional(amount),
  epsilon: optional(amount),
  gridSigma: optional(amount),
  gridScale: optional(amount),
  totalVariation: optional(amount),
  perPart: optional(flag),
  provedSensitivity: optional(amount),
  because: optional(text),
});

const member = fieldsOf<FederatedStatement['aggregators'][number]>({ name: text, publicKey: text });

const federated = fieldsOf<FederatedStatement>({
  charter: hash,
  log: hash,
  aggregators: listOf(member),
  noiseBy: oneOf('aggregators', 'parties'),
  parties: optional(listOf(member)),
  honestNeeded: amount,
  leastReports: amount,
  outside: fieldsOf<FederatedStatement['outside']>({ epsilon: orNull(amount) }),
});

const noiseOverSignal = fieldsOf<NoiseOverSignal>({ head: orNull(amount), tail: orNull(amount) });

const usefulness = fieldsOf<Usefulness>({
  items: whole,
  itemsAboveNoise: whole,
  counts: noiseOverSignal,
  vectors: optional(noiseOverSignal),
  verdict: oneOf('worth-it', 'weak', 'same-for-all', 'too-noisy'),
  needed: amount,
  neededRange: optional(fieldsOf<NeededRange>({ low: amount, high: orNull(amount) })),
});

/** A file of another name would be sealed like these, and hold anything. */
const files = fieldsOf<CoveredFiles>({
  [fileNames.manifest]: optional(hash),
  [fileNames.tensors]: optional(hash),
  [fileNames.certificateText]: optional(hash),
  [fileNames.releases]: optional(hash),
  [fileNames.memory]: optional(hash),
});

const chain = fieldsOf<ChainStatement>({
  memory: hash,
  earlier: listOf(
    fieldsOf<ChainStatement['earlier'][number]>({ mu: amount, count: whole, totalVariation: amount }),
  ),
  lastRun: amount,
  countNoise: amount,
});

const delta = is((value) => typeof value === 'number' && value >= 0 && value < 1);

const accountStatement = fieldsOf<AccountStatement>({
  granted: orNull(
    fieldsOf<NonNullable<AccountStatement['granted']>>({
      epsilon: amount,
      delta,
      period: optional(oneOf('week', 'month', 'quarter', 'year')),
    }),
  ),
  spent: fieldsOf<AccountStatement['spent']>({ epsilon: orNull(amount), delta }),
  unprotectedRuns: optional(whole),
});

/** What each field of a certificate must be, and all that there may be: see docs/certificate.md. */
const certificateRule = fieldsOf<Certificate>({
  format: is((value) => value === certificateFormat),
  method: text,
  plugin: optional(fieldsOf<PluginStatement>({ name: text, sha256: hash })),
  unit: oneOf('user', 'rating-presence', 'rating-value', 'none'),
  relation: oneOf('add-remove', 'replace', 'none'),
  released: text,
  epsilon: orNull(amount),
  delta,
  accountant: text,
  releases: listOf(release),
  claimedByPaper: optional(fieldsOf<NonNullable<Certificate['claimedByPaper']>>({ claim: text, why: text })),
  simulation: flag,
  account: text,
  accountAtIssue: optional(accountStatement),
  catalogue: oneOf('declared', 'rated items'),
  peopleListed: optional(oneOf('declared', 'rated')),
  people: optional(
    fieldsOf<NonNullable<Certificate['people']>>({
      about: amount,
      from: oneOf('declaration', 'release'),
    }),
  ),
  staged: optional(fieldsOf<NonNullable<Certificate['staged']>>({ mu: number, rule: text })),
  chain: optional(chain),
  ledgerEntry: orNull(text),
  codeVersion: text,
  tuning: text,
  federated: optional(federated),
  usefulness: optional(usefulness),
  files,
  hash,
  signature: optional(fieldsOf<CertificateSignature>({ algorithm: text, publicKey: text, value: text })),
});

/** See SECURITY.md. */
const oldForm =
  'it is of an earlier version, which held a hash of the raw ratings: it can tell whether a person is in them. Withdraw the model and train it again.';

/**
 * What is wrong with the types of a certificate, read from JSON; undefined where each field is what it must
 * be. Fields that this version does not know are let be: `faultInPublishedFields` is about those.
 */
export function faultInCertificate(document: unknown): string | undefined {
  const format = (document as Partial<Certificate> | null)?.format;
  if ((format as unknown) === 'hushrec-certificate-1') return oldForm;
  if (format !== certificateFormat)
    return `its format is "${String(format)}"; this version reads "${certificateFormat}".`;
  const fault = certificateRule(document, '', 'open');
  return fault && `its field "${fault.place}" is missing or not what it must be.`;
}

/** The first field of a certificate that has no place in one. */
export function faultInCertificateFields(document: unknown): FieldFault | undefined {
  return certificateRule(document, '', 'closed');
}
