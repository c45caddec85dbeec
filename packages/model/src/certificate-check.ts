import { type Certificate, certificateFormat } from './certificate.js';

type Test = (value: unknown) => boolean;

const isText: Test = (value) => typeof value === 'string';
const isNumber: Test = (value) => typeof value === 'number' && Number.isFinite(value);
const isAmount: Test = (value) => isNumber(value) && (value as number) >= 0;
const isFlag: Test = (value) => typeof value === 'boolean';
const isRecord: Test = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isHash: Test = (value) => isText(value) && /^[0-9a-f]{64}$/.test(value as string);
const orNull =
  (test: Test): Test =>
  (value) =>
    value === null || test(value);
const orAbsent =
  (test: Test): Test =>
  (value) =>
    value === undefined || test(value);
const oneOf =
  (...choices: readonly string[]): Test =>
  (value) =>
    choices.includes(value as string);

/** What each field of a release must be; others are for people. */
const releaseFields: Readonly<Record<string, Test>> = {
  name: isText,
  mechanism: isText,
  sensitivity: isAmount,
  noise: isAmount,
  count: isAmount,
  rate: orAbsent(isAmount),
  dimension: orAbsent(isAmount),
  epsilon: orAbsent(isAmount),
  gridSigma: orAbsent(isAmount),
  gridScale: orAbsent(isAmount),
  totalVariation: orAbsent(isAmount),
  perPart: orAbsent(isFlag),
  provedSensitivity: orAbsent(isAmount),
  because: orAbsent(isText),
};

const isDelta: Test = (value) => isAmount(value) && (value as number) < 1;

const accountFields: Readonly<Record<string, Test>> = {
  granted: orNull(
    (value) =>
      wrongField(value, {
        epsilon: isAmount,
        delta: isDelta,
        period: orAbsent(oneOf('week', 'month', 'quarter', 'year')),
      }) === '',
  ),
  spent: (value) => wrongField(value, { epsilon: orNull(isAmount), delta: isDelta }) === '',
  unprotectedRuns: orAbsent(isAmount),
};

/** What each field of a certificate must be. A field that is not listed here may hold anything. */
const fields: Readonly<Record<string, Test>> = {
  format: (value) => value === certificateFormat,
  method: isText,
  unit: oneOf('user', 'rating-presence', 'rating-value', 'none'),
  relation: oneOf('add-remove', 'replace', 'none'),
  released: isText,
  epsilon: orNull(isAmount),
  delta: isDelta,
  accountant: isText,
  releases: (value) => Array.isArray(value) && value.every((line) => wrongField(line, releaseFields) === ''),
  claimedByPaper: orAbsent((value) => isRecord(value) && Object.values(value as object).every(isText)),
  simulation: isFlag,
  account: isText,
  accountAtIssue: orAbsent((value) => wrongField(value, accountFields) === ''),
  catalogue: oneOf('declared', 'rated items'),
  people: orAbsent((value) => isRecord(value) && isAmount((value as { about?: unknown }).about)),
  staged: orAbsent((value) => isRecord(value) && isAmount((value as { mu?: unknown }).mu)),
  ledgerEntry: orNull(isText),
  codeVersion: isText,
  tuning: isText,
  federated: orAbsent(
    (value) =>
      isRecord(value) &&
      isHash((value as { charter?: unknown }).charter) &&
      isHash((value as { log?: unknown }).log) &&
      Array.isArray((value as { aggregators?: unknown }).aggregators) &&
      isAmount((value as { honestNeeded?: unknown }).honestNeeded),
  ),
  files: (value) => isRecord(value) && Object.values(value as object).every(isHash),
  hash: isHash,
  signature: orAbsent(isRecord),
};

/** See SECURITY.md. */
const oldForm =
  'it has the form of an earlier version, which held a hash of the raw ratings: whoever knows all but one person could test by it whether she is in the data. It promises nothing any more. Withdraw the model and train it again.';

/**
 * What is wrong with the types of a certificate, read from JSON; undefined where each field is what it must
 * be.
 */
export function faultInCertificate(document: unknown): string | undefined {
  const format = (document as Partial<Certificate> | null)?.format;
  if ((format as unknown) === 'hushrec-certificate-1') return oldForm;
  if (format !== certificateFormat)
    return `its format is "${String(format)}"; this version reads "${certificateFormat}".`;
  const wrong = wrongField(document, fields);
  return wrong === '' ? undefined : `its field "${wrong}" is missing or not what it must be.`;
}

/** Name of the first field that fails its test; '' where none does. */
function wrongField(document: unknown, tests: Readonly<Record<string, Test>>): string {
  if (!isRecord(document)) return 'document';
  const record = document as Readonly<Record<string, unknown>>;
  const wrong = Object.entries(tests).find(
    ([name, test]) => !test(Object.hasOwn(record, name) ? record[name] : undefined),
  );
  return wrong?.[0] ?? '';
}
