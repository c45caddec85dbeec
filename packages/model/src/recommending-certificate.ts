import { type Certificate, certificateFormat } from './certificate.js';

/**
 * What is wrong with the fields of a certificate that recommendations are made with. Clients in pages use it
 * to stay small; everything else checks every field (`decodePublished`, `verifyPublished`).
 */
export function faultForRecommending(document: unknown): string | undefined {
  const certificate = (document ?? {}) as Partial<Certificate>;
  const { format, epsilon, simulation, hash, files, usefulness, signature } = certificate;
  if (format !== certificateFormat)
    return `its format is "${String(format)}"; this version reads "${certificateFormat}".`;
  const isWhole =
    (epsilon === null || typeof epsilon === 'number') &&
    typeof simulation === 'boolean' &&
    typeof hash === 'string' &&
    typeof files === 'object' &&
    files !== null &&
    (usefulness === undefined || typeof usefulness?.verdict === 'string') &&
    (signature === undefined ||
      [signature?.publicKey, signature?.value].every((each) => typeof each === 'string'));
  return isWhole ? undefined : 'a field is missing or not what it must be.';
}
