import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exitCodes } from './exit-codes.js';
import { runCommand as run, trainDpals } from './run-command.test.data.js';

/** Ways in which a spent budget was once whole again. */
describe('a spent budget', () => {
  let folder: string;
  let file: string;
  let shop: string;
  const spend = (data: string, out: string, ...flags: string[]) =>
    trainDpals(data, 1, 1e-6, join(folder, out), ...flags);
  const accountOf = (data: string) => JSON.parse(readFileSync(join(data, 'dataset.json'), 'utf8')).account;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hushrec-people-'));
    file = join(folder, 'ratings.csv');
    shop = join(folder, 'shop');
    const rows = Array.from(
      { length: 400 },
      (_, row) => `ann${row % 40},book-${(row * 7) % 20},${1 + (row % 5)}`,
    );
    writeFileSync(file, `user,item,rating\n${rows.join('\n')}\n`);
    expect((await run('import', file, shop, '--scale', '1:5:1')).code).toBe(0);
    expect((await run('ledger', 'grant', shop, '--epsilon', '1', '--delta', '1e-6')).code).toBe(0);
    expect((await spend(shop, 'first')).code).toBe(0);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('stays spent when one rating is added and the data is imported again', async () => {
    const { id } = accountOf(shop);
    appendFileSync(file, 'ann0,book-1,5\n');
    expect((await run('import', file, shop, '--scale', '1:5:1', '--overwrite')).code).toBe(0);
    expect(accountOf(shop).id).toBe(id);
    expect((await spend(shop, 'again')).code).toBe(exitCodes.privacyRefused);
  });

  it('stays spent in a copy of the folder', async () => {
    const copy = join(folder, 'copy');
    cpSync(shop, copy, { recursive: true });
    expect((await spend(copy, 'copied')).code).toBe(exitCodes.privacyRefused);
  });

  it('is not got round by importing to another folder, or by training on the file itself', async () => {
    const other = join(folder, 'other');
    const refused = await run('import', file, other, '--scale', '1:5:1');
    expect(refused.code).toBe(exitCodes.privacyRefused);
    expect(refused.errors).toMatch(/100% are in account shop .*--account shop/);
    expect(() => accountOf(other)).toThrow();
    expect((await spend(file, 'file', '--scale', '1:5:1')).code).toBe(exitCodes.privacyRefused);

    expect((await run('import', file, other, '--scale', '1:5:1', '--account', 'shop')).code).toBe(0);
    expect(accountOf(other)).toEqual(accountOf(shop));
    expect((await spend(other, 'other-model')).code).toBe(exitCodes.privacyRefused);
  });

  it('is another’s where somebody says so, and that is said back', async () => {
    const separate = join(folder, 'separate');
    const imported = await run(
      'import',
      file,
      separate,
      '--scale',
      '1:5:1',
      '--account',
      'other shop',
      '--json',
    );
    expect(imported.code).toBe(0);
    expect(imported.errors).toMatch(/each account has its own budget/);
    expect(imported.json.account.name).toBe('other shop');
    expect(imported.json.account.id).not.toBe(accountOf(shop).id);
  });

  it('is not whole again when many strangers are imported with the same people', async () => {
    const strangers = Array.from({ length: 1000 }, (_, at) => `eve${at},book-${at % 20},3`);
    const crowd = join(folder, 'crowd.csv');
    writeFileSync(crowd, `${readFileSync(file, 'utf8')}${strangers.join('\n')}\n`);
    const refused = await run('import', crowd, join(folder, 'crowd'), '--scale', '1:5:1');
    expect(refused.code).toBe(exitCodes.privacyRefused);
    expect(refused.errors).toMatch(/4% are in account shop \(.*\) too \(100% of its people\)/);
  });

  it('is not whole again for people who are imported in parts, each among strangers', async () => {
    const part = (name: string, from: number) => {
      const known = Array.from({ length: 4 }, (_, at) => `ann${from + at},book-${at},3`);
      const strangers = Array.from({ length: 60 }, (_, at) => `${name}${at},book-${at % 20},3`);
      writeFileSync(
        join(folder, `${name}.csv`),
        `user,item,rating\n${[...known, ...strangers].join('\n')}\n`,
      );
      return run('import', join(folder, `${name}.csv`), join(folder, name), '--scale', '1:5:1');
    };
    expect((await part('part-one', 0)).code).toBe(0);
    const refused = await part('part-two', 4);
    expect(refused.code).toBe(exitCodes.privacyRefused);
    expect(refused.errors).toMatch(
      /6% are in account shop \(.*\) too \(10% of its people; with earlier imports 20% of them are in other accounts\)/,
    );
  });

  it('is not whole again for people who come from several accounts with budgets', async () => {
    const rows = (name: string) => Array.from({ length: 40 }, (_, at) => `${name}${at},book-${at % 20},3`);
    const save = (name: string, lines: readonly string[]) => {
      writeFileSync(join(folder, `${name}.csv`), `user,item,rating\n${lines.join('\n')}\n`);
      return run('import', join(folder, `${name}.csv`), join(folder, name), '--scale', '1:5:1');
    };
    for (const name of ['cafe', 'dock']) {
      expect((await save(name, rows(name))).code).toBe(0);
      expect((await run('ledger', 'grant', name, '--epsilon', '1', '--delta', '1e-6')).code).toBe(0);
    }
    const some = [...rows('cafe').slice(0, 4), ...rows('dock').slice(0, 4)];
    const refused = await save('both', [...some, ...rows('new').concat(rows('strange'))].slice(0, 60));
    expect(refused.code).toBe(exitCodes.privacyRefused);
    expect(refused.errors).toMatch(/7% are in account .*, together 13%/);
    expect((await save('few', [...some, ...rows('x'), ...rows('y')])).code).toBe(0);
  });

  it('does not hold back other people', async () => {
    const rows = Array.from(
      { length: 400 },
      (_, row) => `bob${row % 40},book-${(row * 7) % 20},${1 + (row % 5)}`,
    );
    const strangers = join(folder, 'strangers.csv');
    writeFileSync(strangers, `user,item,rating\n${rows.join('\n')}\nann0,book-1,5\n`);
    expect((await run('import', strangers, join(folder, 'strangers'), '--scale', '1:5:1')).code).toBe(0);
  });

  it('is not forgotten when the manifest is damaged: the account must be said', async () => {
    const copy = join(folder, 'damaged');
    cpSync(shop, copy, { recursive: true });
    writeFileSync(join(copy, 'dataset.json'), readFileSync(join(copy, 'dataset.json'), 'utf8').slice(0, 200));
    const again = ['import', file, copy, '--scale', '1:5:1', '--overwrite'];
    const refused = await run(...again);
    expect(refused.code).toBe(exitCodes.badData);
    expect(refused.errors).toMatch(/--account/);
    expect((await run(...again, '--account', 'shop')).code).toBe(0);
    expect(accountOf(copy)).toEqual(accountOf(shop));
  });
});
