import { type Verification, type VerificationOptions, verifyPublished } from '@hushrec/model';
import { readModelFiles } from '@hushrec/model/folder';

/**
 * Recomputes what a model's certificate promises with a second accountant, and checks every file's hash and the signature.
 * `ok` is true only where every check held; `checks` says which did not.
 *
 * @throws CorruptModelError where the folder cannot be read at all.
 * @example
 * const { ok, checks } = await verify('model');
 * if (!ok) throw new Error(checks.find((check) => !check.ok)?.detail);
 */
export async function verify(model: string, options: VerificationOptions = {}): Promise<Verification> {
  return verifyPublished(await readModelFiles(model), options);
}
