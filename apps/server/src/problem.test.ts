import { expect, it } from 'vitest';
import { isFullDisk } from './problem.js';

it('knows a full disk by the code of the system, of SQLite and of PostgreSQL, also as a cause', () => {
  const failing = (code: string) => Object.assign(new Error('write'), { code });
  for (const code of ['ENOSPC', 'EDQUOT', 'SQLITE_FULL', '53100']) {
    expect(isFullDisk(failing(code))).toBe(true);
    expect(isFullDisk(new Error('outer', { cause: failing(code) }))).toBe(true);
  }
  expect(isFullDisk(failing('EIO'))).toBe(false);
  expect(isFullDisk('ENOSPC')).toBe(false);
});
