import type { Verification, VerificationOptions } from '@hushrec/model';
import { readModelFiles } from '@hushrec/model/folder';
import { verifyModel } from '@hushrec/train';
import { checkName, checkOptions, names, type OptionShape } from './checked-options.js';

const verificationOptions: OptionShape<VerificationOptions> = { trustedKeys: names };

/**
 * Recomputes what a model's certificate promises with a second accountant, checks every file's hash and the
 * signature, and, where the releases are published, recomputes the model itself from them. `ok` is true only
 * where every check held; `checks` says which did not.
 *
 * @throws CorruptModelError where the folder cannot be read at all.
 * @example
 * const { ok, checks } = await verify('model');
 * if (!ok) throw new Error(checks.find((check) => !check.ok)?.detail);
 */
export async function verify(model: string, options: VerificationOptions = {}): Promise<Verification> {
  checkName('verify', 'the model', model);
  checkOptions<VerificationOptions>('verify', verificationOptions, options);
  return verifyModel(await readModelFiles(model), options);
}
