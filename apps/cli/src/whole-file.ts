import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { CommandError, exitCodes } from './exit-codes.js';

/** The whole text or, where writing it was interrupted, what was there before; durable when this resolves. */
export async function writeWhole(path: string, text: string, mode?: number): Promise<void> {
  const { disk, replaceFile } = await import('@hushrec/ratings');
  await disk.makeFolder(dirname(path));
  await replaceFile(disk, path, Buffer.from(text), mode);
}

/** The same where nothing may be replaced; `advice` says what to do instead. */
export async function writeNew(path: string, text: string, advice: string): Promise<void> {
  refuseTaken(path, advice);
  await writeWhole(path, text);
}

export function refuseTaken(path: string, advice: string): void {
  if (existsSync(path)) throw new CommandError(exitCodes.wrongUsage, `${path} is there already. ${advice}`);
}
