// Short tests write thousands of small files durably. On a disk that others use they wait for it most of
// their time; in memory they do not, and show the same. Long tests keep the disk.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
const GIB = 2 ** 30;

/**
 * A new folder in memory, to be removed by the caller; undefined where somebody chose a folder (`TMPDIR`),
 * where there is no such memory or too little of it, and where programs cannot be started from it.
 */
export function memoryFolder(chosen = process.env['TMPDIR']) {
  if (chosen !== undefined) return undefined;
  let folder;
  try {
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize < 4 * GIB || freemem() < 6 * GIB) return undefined;
    folder = mkdtempSync(join(memory, 'hushrec-tests-'));
    chmodSync(folder, 0o711); // PostgreSQL does not run as root, and must find its own folder below
    const program = join(folder, 'starts');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
    if (spawnSync(program).status === 0) return folder;
  } catch {
    // There is none, or nothing may be written there.
  }
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  return undefined;
}
