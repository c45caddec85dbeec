import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDataset } from '@hushrec/ratings';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand } from '../run-command.test.data.js';

const program = fileURLToPath(new URL('../../bin/hushrec.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'hushrec-forget-'));
const at = (name: string) => join(folder, name);
const shop = at('shop');
const list = `${shop}.do-not-import`;
const people = async () => (await openDataset(shop)).userIds;
const ran = async (...args: string[]) => {
  const run = await runCommand(...args);
  expect(run.code, run.errors).toBe(0);
  return run;
};
function ratings(name: string, users: readonly string[]): string {
  const rows = users.flatMap((user, k) =>
    ['a', 'b', user === 'alice' ? 'only-hers' : 'c'].map(
      (item, j) => `${user},${item},${1 + ((k + j) % 5)},${1000 * k + j}`,
    ),
  );
  writeFileSync(at(name), `user,item,rating,time\n${rows.join('\n')}\n`);
  return at(name);
}
/** Every byte of every file here, names included. */
function everything(where = folder): string {
  return readdirSync(where, { withFileTypes: true })
    .map((entry) => {
      const path = join(where, entry.name);
      return entry.name + (entry.isDirectory() ? everything(path) : readFileSync(path, 'latin1'));
    })
    .join('\n');
}
const all = ['zoe', 'alice', 'bob', 'carol'];

beforeAll(async () => {
  await ran('import', ratings('first.csv', all), shop, '--scale', '1:5:1');
  await ran('ledger', 'grant', shop, '--epsilon', '3', '--delta', '1e-6');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('takes a person out of the data set and of left-overs, and says what stays', async () => {
  const before = await openDataset(shop);
  const bob = before.ratings.byUser.values.slice(
    before.ratings.byUser.offsets[before.userIds.indexOf('bob')],
  );
  // What an import left that was killed on this machine: a process number that nobody has.
  const mark = /\.shop\.partial-([0-9a-f]{8})-/;
  const probe = spawnSync(process.execPath, ['-e', `process.stdout.write(String(process.pid))`]);
  const { partialPathOf } = await import('@hushrec/ratings');
  const machine = mark.exec(partialPathOf(shop))![1];
  const leftOver = at(`.shop.partial-${machine}-${String(probe.stdout)}-000000000000`);
  mkdirSync(leftOver);
  const listLeft = at(`.shop.do-not-import.partial-${machine}-${String(probe.stdout)}-000000000000`);
  writeFileSync(listLeft, 'a key');
  writeFileSync(join(leftOver, 'ratings.txt'), 'alice,a,5');
  const run = await ran('forget', shop, '--person', 'alice', '--person', 'nobody');
  expect(run.text).toMatch(/1 of 2 people were there/);
  for (const stays of ['In the ledger', 'In published models', 'backups', 'counsel'])
    expect(run.text).toContain(stays);
  const after = await openDataset(shop);
  expect(after.userIds).toEqual(['bob', 'carol', 'zoe']);
  expect(after.ratings.userCount).toBe(3);
  expect([...after.ratings.byUser.values.slice(0, 3)]).toEqual([...bob.slice(0, 3)]);
  expect([...after.appearance!.users]).toEqual([1, 2, 0]);
  expect(after.manifest.contentHash).not.toBe(before.manifest.contentHash);
  expect(after.manifest.account).toEqual(before.manifest.account);
  expect((await ran('ledger', 'show', shop, '--json')).json.grant.epsilon).toBe(3);
  expect(existsSync(listLeft)).toBe(false);
  rmSync(at('first.csv'));
  expect(everything()).not.toContain('alice');
  expect(statSync(list).mode & 0o777).toBe(0o600);
});

it('keeps her out of imports that replace and that add', async () => {
  const file = ratings('second.csv', [...all, 'dora']);
  await ran('import', file, shop, '--overwrite', '--scale', '1:5:1');
  expect(await people()).toEqual(['bob', 'carol', 'dora', 'zoe']);
  // Nor what she alone rated.
  expect((await openDataset(shop)).itemIds).toEqual(['a', 'b', 'c']);
  await ran('import', ratings('third.csv', ['alice', 'erik']), shop, '--append');
  expect(await people()).toEqual(['bob', 'carol', 'dora', 'erik', 'zoe']);
  const nobody = await runCommand(
    'import',
    ratings('alone.csv', ['alice']),
    shop,
    '--overwrite',
    '--scale',
    '1:5:1',
  );
  expect(nobody.code).toBe(3);
  expect(await people()).toHaveLength(5);
});

it('reads ids from standard input', async () => {
  const run = spawnSync(process.execPath, [program, 'forget', shop, '--from', '-', '--json'], {
    input: 'erik\r\nzoe\n',
  });
  expect(run.status, String(run.stderr)).toBe(0);
  expect(JSON.parse(String(run.stdout))).toMatchObject({ asked: 2, removed: 2, people: 3 });
  expect(await people()).toEqual(['bob', 'carol', 'dora']);
});

it('misses a list that is gone or damaged, instead of bringing people back', async () => {
  const kept = readFileSync(list);
  for (const spoil of [() => rmSync(list), () => writeFileSync(list, '{}')]) {
    spoil();
    const run = await runCommand('import', at('second.csv'), shop, '--overwrite', '--scale', '1:5:1');
    expect(run.code).toBe(3);
    expect(run.errors).toContain('do-not-import');
    writeFileSync(list, kept);
  }
  expect(await people()).toEqual(['bob', 'carol', 'dora']);
});

it('says whose list was lost, and who is still there under an id that looks alike', async () => {
  const kept = readFileSync(list);
  rmSync(list);
  const lost = await ran('forget', shop, '--person', 'nobody');
  expect(lost.text).toContain('the list of those who asked before was not there');
  writeFileSync(list, kept);
  await ran('import', ratings('alike.csv', ['Ren\u00e9', '"fay "']), shop, '--append');
  const close = ['forget', shop, '--person', 'fay', '--person', 'Rene\u0301'];
  expect((await ran(...close)).text).toContain('2 people who are still there');
  expect((await ran(...close, '--json')).json).toMatchObject({ removed: 0, alike: 2 });
  expect((await ran('forget', shop, '--person', 'fay ', '--person', 'Ren\u00e9')).text).not.toContain(
    'WARNING',
  );
});

it('takes out who asked while an import was reading', async () => {
  const { forgetPeople, importSource } = await import('@hushrec/ratings');
  const file = ratings('long.csv', ['bob', 'hana', 'ivo']);
  const { manifest, people: left } = await importSource(file, shop, {
    overwrite: true,
    scale: { min: 1, max: 5, step: 1 },
    chooseAccount: async ({ existing }) => {
      await forgetPeople(shop, ['hana']);
      return (await existing())!;
    },
  });
  expect(await people()).toEqual(['bob', 'ivo']);
  expect([manifest.people, left]).toEqual([2, 2]);
  expect(manifest).toEqual((await openDataset(shop)).manifest);
});

it('refresh --keep counts from the day of the run, not from the newest rating', async () => {
  const day = (date: string) => Date.parse(date) / 1000;
  const data = at('aged');
  const rows = [
    ...[0, 1, 2, 3].map((k) => `old,i${k},3,${day('2020-01-01')}`),
    `mixed,i0,3,${day('2020-01-01')}`,
    `mixed,i1,4,${day('2024-06-01')}`,
    `edge,i2,5,${day('2023-01-01')}`,
    `new,i3,5,${day('2024-12-31')}`,
    // A clock that is wrong must not remove everyone else.
    `future,i3,5,${day('2090-01-01')}`,
  ];
  writeFileSync(at('aged.csv'), `user,item,rating,time\n${rows.join('\n')}\n`);
  await ran('import', at('aged.csv'), data, '--scale', '1:5:1');
  const refresh = (...flags: string[]) =>
    runCommand('refresh', data, '--model', at('aged-model'), '--method', 'als', ...flags);
  const run = await refresh('--keep', '2y', '--date', '2024-12-31');
  expect(run.code, run.errors).toBe(0);
  const left = await openDataset(data);
  expect(left.userIds).toEqual(['edge', 'future', 'mixed', 'new']);
  expect(left.ratings.byUser.values.length).toBe(4);
  expect((await refresh('--keep', '2 years')).code).toBe(2);
  // Where all would go, nothing does.
  expect((await refresh('--keep', '1d', '--date', '2200-01-01')).code).toBe(3);
  expect((await openDataset(data)).userIds).toHaveLength(4);
});

it('asks who', async () => {
  expect((await runCommand('forget', shop)).code).toBe(2);
  expect((await runCommand('forget', at('nowhere'), '--person', 'x')).code).toBe(3);
});
