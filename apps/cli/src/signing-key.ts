import { readFile } from 'node:fs/promises';
import { importSigningKey, type SigningKey } from '@hushrec/model';

/** Reads an Ed25519 private key in PKCS #8 PEM, as `openssl genpkey -algorithm ed25519` writes it. */
export async function readSigningKey(file: string): Promise<SigningKey> {
  return importSigningKey(await readFile(file, 'utf8'));
}
