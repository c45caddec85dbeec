import { faultInCertificate } from './certificate-check.js';
import { decodeFiles, type PublishedModel } from './published-model.js';

/**
 * Decodes a model folder's files as `decodeFiles` does, and checks every field of the certificate.
 *
 * @throws CorruptModelError naming the file and what is wrong with it.
 */
export function decodePublished(files: ReadonlyMap<string, Uint8Array>): Promise<PublishedModel> {
  return decodeFiles(files, faultInCertificate);
}
