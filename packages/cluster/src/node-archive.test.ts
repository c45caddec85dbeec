import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { NodeArchiveError, readNodeArchive } from './node-archive.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-node-archive-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const hasTar = existsSync('/bin/tar') || existsSync('/usr/bin/tar');

describe('an archive of Node', () => {
  it.skipIf(process.platform !== 'linux' || !hasTar)(
    'of this process runs where tar unpacks it',
    async () => {
      const { bytes, folder: name, ending } = await readNodeArchive('auto');
      expect(name).toBe(`hushrec-node-${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}`);
      expect(ending).toBe('.tgz');
      writeFileSync(join(folder, 'node.tgz'), bytes);
      execFileSync('tar', ['-xzf', 'node.tgz'], { cwd: folder });
      const node = join(folder, 'bin', 'node');
      expect(statSync(node).mode & 0o777).toBe(0o755);
      expect(readFileSync(node).equals(readFileSync(process.execPath))).toBe(true);
    },
  );

  it('is taken as it is, and must be one that Spark unpacks', async () => {
    const file = join(folder, 'node-v20.tar.gz');
    writeFileSync(file, 'bytes');
    expect(await readNodeArchive(file)).toMatchObject({ ending: '.tar.gz', bytes: Buffer.from('bytes') });
    for (const wrong of [join(folder, 'node-v20.tar.xz'), join(folder, 'node.zip'), join(folder, 'no.tgz')])
      await expect(readNodeArchive(wrong)).rejects.toThrow(NodeArchiveError);
  });
});
