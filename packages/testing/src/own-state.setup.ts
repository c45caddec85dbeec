/**
 * Every test file gets a state folder of its own, so that no test reads or writes the ledger of whoever runs
 * the tests, and no file sees another's accounts. Processes that tests start inherit it.
 */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

const folder = mkdtempSync(join(inject('stateFolders'), 'of-a-file-'));
process.env['XDG_STATE_HOME'] = folder;
process.env['LOCALAPPDATA'] = folder;
delete process.env['HUSHREC_LEDGER'];
