import { readFile } from 'node:fs/promises';
import { importSigningKey, type SigningKey } from '@hushrec/model/signing';
import { OptionError } from './command.js';

/** Reads an Ed25519 private key in PKCS #8 PEM, as `openssl genpkey -algorithm ed25519` writes it. */
export async function readSigningKey(file: string): Promise<SigningKey> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new OptionError(
      `--signing-key ${file} cannot be read (${error.code ?? error.message}). Make one with \`openssl genpkey -algorithm ed25519 -out ${file}\`.`,
    );
  });
  return importSigningKey(text);
}
