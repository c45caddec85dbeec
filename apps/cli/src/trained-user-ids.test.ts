import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDataset, splitStrongGeneralization } from '@hushrec/ratings';
import { afterAll, describe, expect, it } from 'vitest';

const program = fileURLToPath(new URL('../bin/hushrec.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'hushrec-user-ids-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function hushrec(...args: string[]): void {
  const { status, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

describe('published users', () => {
  it('carry the ids of the data set, for all people or for those trained on', async () => {
    const data = join(folder, 'data');
    hushrec('generate', data, '--people', '80', '--items', '40', '--ratings', '1600', '--seed', '1');
    const dataset = await openDataset(data);
    const { trainUsers } = splitStrongGeneralization(dataset, { seed: 1 });
    expect(trainUsers.length).toBeLessThan(80);
    const train = (name: string, ...flags: string[]) => {
      const out = join(folder, name);
      hushrec(
        'train',
        data,
        '--method',
        'private-global-effects',
        '--epsilon',
        '5',
        '--delta',
        '0',
        '--seed',
        '1',
        '--out',
        out,
        ...flags,
      );
      return readFileSync(join(out, 'model.json'), 'utf8');
    };
    const idsIn = (text: string): unknown => findKey(JSON.parse(text), 'userIds');
    expect(idsIn(train('all'))).toEqual(dataset.userIds);
    expect(idsIn(train('part', '--protocol', 'strong-generalization'))).toEqual(
      Array.from(trainUsers, (user) => dataset.userIds[user]),
    );
  });
});

/** The value of the first property of that name, at any depth. */
function findKey(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (key in value) return (value as Record<string, unknown>)[key];
  for (const each of Object.values(value)) {
    const found = findKey(each, key);
    if (found !== undefined) return found;
  }
  return undefined;
}
