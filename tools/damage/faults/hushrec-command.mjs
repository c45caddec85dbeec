import { join } from 'node:path';
import { runQuietly } from '../quiet-command.mjs';

/** A command of the command line; throws where it did not say that it was done. */
export async function hushrec(root, ...args) {
  process.env.HUSHREC_LEDGER = join(root, 'ledger.sqlite');
  const { code, errors, text } = await runQuietly(args);
  if (code !== 0) throw Object.assign(new Error(errors.trim() || text), { code });
  return text;
}
