import type { Certificate, CertificateSignature, CertificateStatement } from '@hushrec/model';
import {
  certificateHash,
  SigningError,
  type SigningKey,
  sha256Hex,
  signedBytes,
} from '@hushrec/model/signing';

/**
 * Completes a statement with the hashes of the files it is about, its own hash, and a signature if a key is
 * given.
 */
export async function sealCertificate(
  statement: CertificateStatement,
  files: ReadonlyMap<string, Uint8Array>,
  signingKey?: SigningKey,
): Promise<Certificate> {
  const { files: _files, hash: _hash, signature: _signature, ...rest } = statement as Certificate;
  const hashes: Record<string, string> = {};
  for (const [name, bytes] of files) hashes[name] = await sha256Hex(bytes);
  const covered = { ...rest, files: hashes };
  const sealed = { ...covered, hash: await certificateHash(covered) };
  if (signingKey === undefined) return sealed;
  if (sealed.simulation) {
    throw new SigningError(
      'This model was trained with a seed, so its noise can be recomputed and nothing is protected. Train without --seed to sign.',
    );
  }
  return { ...sealed, signature: await sign(sealed, signingKey) };
}

async function sign(
  certificate: object,
  { privateKey, publicKey }: SigningKey,
): Promise<CertificateSignature> {
  const value = await crypto.subtle.sign('Ed25519', privateKey, signedBytes(certificate));
  return { algorithm: 'Ed25519', publicKey, value: Buffer.from(value).toString('hex') };
}
