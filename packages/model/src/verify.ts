import { parseReadableJson } from './canonical-json.js';
import type { Certificate } from './certificate.js';
import { faultInCertificate } from './certificate-check.js';
import { certificateText, pluginWords } from './certificate-text.js';
import { sha256Hex } from './content-hash.js';
import { decodePublished } from './decode-published.js';
import { fileNames } from './file-names.js';
import type { ItemModel } from './item-model.js';
import { faultInMetrics } from './metrics-file.js';
import { faultInPublishedFields } from './published-fields.js';
import type { PublishedModel } from './published-model.js';
import { accountingChecks } from './recompute.js';
import { decodeTensors, encodeTensors } from './safetensors.js';
import { certificateHash, signatureHolds } from './seal.js';
import { faultInSelection } from './selection.js';
import { usefulnessOf } from './usefulness/usefulness.js';

/** One thing that was checked, and what was found. */
export interface VerificationCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** What came out of checking a model. */
export interface Verification {
  /**
   * Everything that was checked holds. Says nothing about who made the model unless a signature was asked
   * for.
   */
  readonly ok: boolean;
  readonly checks: readonly VerificationCheck[];
  /** True but worth knowing: a simulation, no guarantee, no signature. */
  readonly warnings: readonly string[];
}

/** What a model is held to besides its own words. */
export interface VerificationOptions {
  /** Public keys (hexadecimal) of which one must have signed. */
  readonly trustedKeys?: readonly string[];
}

/**
 * Checks a model folder from its bytes alone, in Node or in a browser: that no byte of any file changed, that
 * the words say what the numbers say, and that the promised ε follows from the recorded releases by two
 * accountants.
 *
 * Which bytes are protected by what: every file but two by its SHA-256 in `certificate.json`;
 * `certificate.json` by its canonical form and its own hash (and the signature); `metrics.json` by its
 * canonical form and its own hash. Hashes alone protect against accidents and careless edits; someone who
 * recomputes them too is stopped by the recomputed ε, if they touched the guarantee, and by the signature, if
 * they touched anything.
 */
export async function verifyPublished(
  files: ReadonlyMap<string, Uint8Array>,
  options: VerificationOptions = {},
): Promise<Verification> {
  const checks: VerificationCheck[] = [];
  const check = (name: string, fault: string | undefined, detail: string) => {
    checks.push({ name, ok: fault === undefined, detail: fault ?? detail });
  };

  const parsed = parsedCertificate(files.get(fileNames.certificate));
  check(
    'certificate is in canonical form',
    'fault' in parsed ? parsed.fault : undefined,
    'every byte is as written',
  );
  if ('fault' in parsed) return { ok: false, checks, warnings: [] };
  const { certificate } = parsed;
  check(
    'certificate is unchanged',
    (await certificateHash(certificate)) === certificate.hash
      ? undefined
      : 'its hash is not that of its content.',
    `hash ${certificate.hash.slice(0, 16)}…`,
  );
  check(
    'files are unchanged',
    await faultInFiles(files, certificate),
    `${Object.keys(certificate.files).length} files`,
  );
  check(
    'words match numbers',
    faultInText(files, certificate),
    `${fileNames.certificateText} repeats the certificate`,
  );
  const published = await decodePublished(files).catch((error: Error) => error);
  check('model is readable', faultInModel(published, certificate), 'tensors and description fit together');
  if (!(published instanceof Error))
    check(
      'ratings were selected person by person',
      faultInSelection(published.manifest.run?.trainedOn, certificate),
      'nobody changes which ratings of others were used',
    );
  check('nothing else is published', faultInWhatIsThere(files, certificate), 'every field has its place');
  const metrics = files.get(fileNames.metrics);
  if (metrics !== undefined)
    check(
      'metrics are unchanged',
      await faultInMetrics(metrics, certificate.hash),
      'they are about this model',
    );
  checks.push(...accountingChecks(certificate));
  // None that nobody asked for has not passed: a warning says that it is missing.
  if (certificate.signature !== undefined || options.trustedKeys !== undefined)
    check(
      'signature',
      await faultInSignature(certificate, options.trustedKeys),
      `by key ${certificate.signature?.publicKey}`,
    );
  return { ok: checks.every(({ ok }) => ok), checks, warnings: warningsOf(certificate, options) };
}

function parsedCertificate(bytes: Uint8Array | undefined): { certificate: Certificate } | { fault: string } {
  if (bytes === undefined) return { fault: `${fileNames.certificate} is missing.` };
  let certificate: Certificate;
  try {
    certificate = parseReadableJson(bytes) as Certificate;
  } catch (error) {
    return { fault: (error as Error).message };
  }
  const fault = faultInCertificate(certificate);
  return fault === undefined ? { certificate } : { fault };
}

async function faultInFiles(
  files: ReadonlyMap<string, Uint8Array>,
  certificate: Certificate,
): Promise<string | undefined> {
  const faults: string[] = [];
  for (const name of [fileNames.manifest, fileNames.tensors, fileNames.certificateText]) {
    if (!Object.hasOwn(certificate.files, name)) faults.push(`${name} is not covered by the certificate`);
  }
  for (const [name, expected] of Object.entries(certificate.files)) {
    const bytes = files.get(name);
    if (bytes === undefined) faults.push(`${name} is missing`);
    else if ((await sha256Hex(bytes)) !== expected) faults.push(`${name} was changed`);
  }
  for (const name of files.keys()) {
    const sealsItself = name === fileNames.certificate || name === fileNames.metrics;
    if (name === fileNames.metrics && certificate.epsilon !== null && !certificate.simulation)
      faults.push(`${name} holds figures about people that no certificate covers`);
    if (!sealsItself && !Object.hasOwn(certificate.files, name))
      faults.push(`${name} does not belong to the model`);
  }
  return faults.length === 0 ? undefined : `${faults.join('; ')}.`;
}

function faultInText(files: ReadonlyMap<string, Uint8Array>, certificate: Certificate): string | undefined {
  const bytes = files.get(fileNames.certificateText);
  if (bytes === undefined) return `${fileNames.certificateText} is missing.`;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text === certificateText(certificate)
      ? undefined
      : `the words are not those that this version writes for these numbers (the certificate is of version ${certificate.codeVersion}). Do not rely on them.`;
  } catch (error) {
    return `the words cannot be read: ${(error as Error).message}`;
  }
}

function faultInModel(published: PublishedModel | Error, certificate: Certificate): string | undefined {
  if (published instanceof Error) return published.message;
  const { manifest, model } = published;
  if (manifest.method !== certificate.method)
    return `the model was made by ${manifest.method}, the certificate is about ${certificate.method}.`;
  if (model.kind !== 'neighbours' && model.users !== undefined && certificate.unit === 'user')
    return 'it holds user vectors, which a guarantee for whole persons does not cover.';
  try {
    return faultInUsefulness(model, certificate);
  } catch (error) {
    return (error as Error).message;
  }
}

/** Fields, or bytes beside the tensors, that no model folder has: they could hold what was never released. */
function faultInWhatIsThere(
  files: ReadonlyMap<string, Uint8Array>,
  certificate: Certificate,
): string | undefined {
  try {
    const manifest = parseReadableJson(files.get(fileNames.manifest) ?? new Uint8Array());
    const tensors = files.get(fileNames.tensors) ?? new Uint8Array();
    const again = encodeTensors(decodeTensors(tensors));
    return (
      faultInPublishedFields(manifest, certificate) ??
      (again.length === tensors.length && again.every((byte, at) => byte === tensors[at])
        ? undefined
        : `${fileNames.tensors} holds more than its tensors, or not in their order.`)
    );
  } catch (error) {
    return (error as Error).message;
  }
}

/**
 * What is said about noise must follow from the released counts. That of vectors is taken as stated (their
 * releases need not be published), in three digits: a verdict was given on the whole number, which may lie up
 * to half a unit of the last digit from it, on either side of a bound.
 */
function faultInUsefulness(
  model: ItemModel,
  { usefulness, releases, chain }: Certificate,
): string | undefined {
  if (usefulness === undefined) return undefined;
  const { vectors } = usefulness;
  const near = (a: number, b: number) => Math.abs(a - b) <= 0.02 * Math.max(Math.abs(a), Math.abs(b)) + 1;
  const follows = [1, 0.995, 1.005].some((nudge) => {
    const head = vectors?.head == null ? null : nudge * vectors.head;
    const given = vectors && { ...vectors, head };
    const again = usefulnessOf(model, releases, given, chain?.countNoise);
    return (
      again?.verdict === usefulness.verdict &&
      near(again.itemsAboveNoise, usefulness.itemsAboveNoise) &&
      (usefulness.neededRange === undefined || Math.abs(again.needed / usefulness.needed - 1) < 0.05)
    );
  });
  return follows
    ? undefined
    : 'what the certificate says about noise does not follow from the released counts.';
}

async function faultInSignature(
  certificate: Certificate,
  trustedKeys: readonly string[] | undefined,
): Promise<string | undefined> {
  const { signature } = certificate;
  if (signature === undefined) return trustedKeys === undefined ? undefined : 'it is not signed.';
  if (globalThis.crypto?.subtle === undefined)
    return 'it cannot be checked here: the browser offers signatures to securely served pages only.';
  if (!(await signatureHolds(certificate))) return 'it does not belong to this certificate.';
  if (trustedKeys !== undefined && !trustedKeys.includes(signature.publicKey))
    return `it was made with a key that is not trusted here (${signature.publicKey}).`;
  return undefined;
}

function warningsOf(certificate: Certificate, { trustedKeys }: VerificationOptions): string[] {
  const warnings: string[] = [];
  if (certificate.simulation)
    warnings.push('Simulation: a seed was used, so the noise can be recomputed and nobody is protected.');
  if (certificate.epsilon === null)
    warnings.push('The certificate promises no finite ε: nobody is protected.');
  const plugin = pluginWords(certificate);
  if (plugin !== undefined) warnings.push(`The method is not Hushrec’s. ${plugin}`);
  if (certificate.signature === undefined)
    warnings.push('Not signed: the folder is consistent, but anyone can make a consistent folder.');
  else if (trustedKeys === undefined)
    warnings.push('Signed, but by whom is for you to know: compare the public key with the one you expect.');
  if (certificate.unit === 'rating-presence' && certificate.peopleListed === undefined)
    warnings.push('The list of people is that of those who rated something, and is not protected.');
  if (certificate.ledgerEntry === null)
    warnings.push('No ledger entry: other runs on the same data are not counted.');
  return warnings;
}
