import { createHash } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** Nobody works in a temporary folder for longer. */
const DAY = 24 * 60 * 60 * 1000;
/** What this process works in just now. */
const inUse = new Set<string>();

/**
 * Whose a temporary name is: machine and process, as `<8 hex>-<pid>-`. Process numbers mean something within
 * one machine and, in containers, one namespace.
 */
export function ownerMark(): string {
  return `${machine()}-${process.pid}-`;
}

/** Says that this process works in a folder, until the returned function is called. */
export function markInUse(folder: string): () => void {
  inUse.add(folder);
  return () => inUse.delete(folder);
}

/**
 * Removes what processes left in a folder that were killed: entries whose name begins with `start` and whose
 * owner on this machine lives no more. What is another machine's, or says not whose it is, goes after a day.
 *
 * @param keeps names that stay, whoever left them
 */
export async function removeAbandoned(
  folder: string,
  start: string,
  keeps: (name: string) => boolean = () => false,
): Promise<void> {
  const names = await readdir(folder).catch((): string[] => []);
  for (const name of names) {
    if (!name.startsWith(start) || keeps(name)) continue;
    const path = join(folder, name);
    if (inUse.has(path) || !(await isAbandoned(path, name.slice(start.length)))) continue;
    // Another process may remove it at the same moment, and what cannot be removed is no reason to fail.
    await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

async function isAbandoned(path: string, marked: string): Promise<boolean> {
  const [, owner, pid] = /^([0-9a-f]{8})-(\d+)-/.exec(marked) ?? [];
  // A number that was this process's own belonged to one before it: what is in use was asked for above.
  if (owner === machine()) return Number(pid) === process.pid || !isAlive(Number(pid));
  // Its own process may remove it at any moment.
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > DAY;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'; // EPERM: somebody else's
  }
}

let known: string | undefined;

function machine(): string {
  if (known !== undefined) return known;
  let namespace = '';
  try {
    namespace = readlinkSync('/proc/self/ns/pid');
  } catch {
    // No such namespaces here.
  }
  known = createHash('sha256').update(`${hostname()}\n${namespace}`).digest('hex').slice(0, 8);
  return known;
}
