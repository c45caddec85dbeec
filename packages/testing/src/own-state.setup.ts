/**
 * Every test file gets a state folder of its own, so that no test reads or writes the ledger of whoever runs
 * the tests, and no file sees another's accounts. Processes that tests start inherit it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-state-'));
process.env['XDG_STATE_HOME'] = folder;
process.env['LOCALAPPDATA'] = folder;
delete process.env['HUSHREC_LEDGER'];
afterAll(() => rmSync(folder, { recursive: true, force: true }));
