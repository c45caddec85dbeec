/**
 * One folder for the state of all test files, removed at the end of the run. Hooks of the files would leave
 * theirs behind where every test is skipped, or where the process ends in the middle.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    stateFolders: string;
  }
}

/** Called once, before all test files; what it returns is called after them. */
export default function setUp({ provide }: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'hushrec-state-'));
  provide('stateFolders', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
