import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../run-command.test.data.js';
import { importRatings } from './import-ratings.js';
import { ledgerOf } from './ledger-of.js';
import { openLedger } from './open-ledger.js';
import { openModel, recommend } from './recommend.js';
import { type TrainOptions, train } from './train.js';
import { verify } from './verify.js';

let folder: string;
let data: string;
let ledger: string;
let model: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hushrec-options-'));
  ledger = join(folder, 'ledger.sqlite');
  const source = join(folder, 'ratings.csv');
  const rows = Array.from({ length: 400 }, (_, k) => `u${k % 40},i${(k * 7) % 23},${1 + (k % 5)}`);
  await writeFile(source, `user,item,rating\n${rows.join('\n')}\n`);
  ({ directory: data } = await importRatings(source, { scale: '1:5:1', ledger, newLedger: true }));
  const seeded = { method: 'als', settings: { rank: 2 }, seed: 1, threads: 1, ledger };
  ({ directory: model } = await train(data, { ...seeded, out: join(folder, 'model') }));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Whatever a program without types may pass. */
const untyped = (options: unknown) => options as TrainOptions;
const usage = (message: string) => expect.objectContaining({ kind: 'usage', message });

describe('train', () => {
  const base = () => ({ ledger, out: join(folder, 'never'), threads: 1 });

  it.each([
    ['1', '"1" (a string)'],
    ['0.5', '"0.5" (a string)'],
    [[1], 'a list'],
    [true, 'true (a boolean)'],
    [null, 'null'],
    [Number.NaN, 'NaN'],
    [0, '0'],
    [-1, '-1'],
  ])('refuses ε = %j, and publishes and spends nothing', async (epsilon, shown) => {
    await expect(train(data, untyped({ ...base(), epsilon }))).rejects.toEqual(
      usage(
        `train: epsilon is ${shown}; expected a number above 0 (usual values: 0.1 to 10; Infinity trains without noise).`,
      ),
    );
    expect(existsSync(join(folder, 'never'))).toBe(false);
    expect((await readdir(folder)).filter((name) => name.includes('noise-key'))).toEqual([]);
    const opened = await ledgerOf(data, { ledger });
    expect((await opened.ledger.entries()).some(({ event }) => event.kind === 'spend')).toBe(false);
    await opened.ledger.close();
  });

  it('says what the command line says', async () => {
    const { code, errors } = await runCommand('train', data, '--epsilon', '0', '--ledger', ledger);
    expect(code).toBe(2);
    expect(errors).toContain(
      '--epsilon is 0; expected a number above 0 (usual values: 0.1 to 10; inf trains without noise).',
    );
  });

  it('needs an ε for a private method; no privacy has to be asked for', async () => {
    for (const options of [{}, { epsilon: undefined }, { method: 'dpals' }])
      await expect(train(data, untyped({ ...base(), ...options }))).rejects.toThrow(
        /is a private method: give epsilon/,
      );
  });

  it.each([
    [{ epsilonn: 1 }, /there is no option "epsilonn". Did you mean "epsilon"\? Options: method, epsilon/],
    [{ delta: '1e-6' }, /delta is "1e-6" \(a string\); expected a probability/],
    [{ delta: Number.NaN }, /delta is NaN; expected a probability/],
    [{ method: ['als'] }, /method is a list; expected a text/],
    [{ people: '6040' }, /people is "6040" \(a string\); expected a whole number from 1 to/],
    [{ people: 0.5 }, /people is 0.5; expected a whole number/],
    [{ liked: '4' }, /liked is "4" \(a string\); expected a number/],
    [{ features: 'genres.csv' }, /features is "genres.csv" \(a string\); expected a list of texts/],
    [{ kinds: ['colours'] }, /kinds is a list; expected a list of 'categorical'/],
    [{ seed: '1' }, /seed is "1" \(a string\); expected a whole number from 0/],
    [{ seed: null }, /seed is null; expected a whole number from 0/],
    [{ accounting: 'loose' }, /accounting is "loose" \(a string\); expected 'exact' or/],
    [{ threads: 0 }, /threads is 0; expected a whole number from 1 to 256/],
    [{ memory: '2GiB' }, /memory is "2GiB" \(a string\); expected a number/],
    [{ settings: [] }, /settings is a list; expected an object of settings/],
    [{ settings: { rank: [2] } }, /settings is an object; expected an object of settings, each a text/],
    [{ acceptWeak: 'no' }, /acceptWeak is "no" \(a string\); expected true or false/],
    [{ overwrite: 0 }, /overwrite is 0; expected true or false/],
    [{ say: 'yes' }, /say is "yes" \(a string\); expected a function/],
    [{ signal: {} }, /signal is an object; expected the signal of an AbortController/],
    [{ out: '' }, /out is "" \(a string\); expected a text/],
  ])('refuses %j', async (options, message) => {
    await expect(train(data, untyped({ ...base(), epsilon: 1, ...options }))).rejects.toThrow(message);
  });

  it('refuses options that are no object, and a data set that is no text', async () => {
    for (const options of [1, null, [], 'epsilon=1'])
      await expect(train(data, untyped(options))).rejects.toThrow(/the options are .*; expected an object/);
    await expect(train(['data'] as unknown as string, { epsilon: 1 })).rejects.toThrow(
      'train: the data set is a list; expected a text.',
    );
  });
});

describe('other functions', () => {
  it('importRatings refuses wrong options', async () => {
    const attempt = (options: unknown) => importRatings(join(folder, 'ratings.csv'), untyped(options));
    for (const [options, message] of [
      [{ scale: 5 }, /scale is 5; expected a scale/],
      [{ scale: { min: 1, max: 5 } }, /scale is an object; expected a scale/],
      [{ scale: { min: 1, max: '5', step: 1 } }, /scale is an object; expected a scale/],
      [{ columns: 'user,item' }, /columns is "user,item" \(a string\); expected a list of texts/],
      [{ skipBadRows: '3' }, /skipBadRows is "3" \(a string\); expected a whole number from 0/],
      [{ header: 'yes' }, /header is "yes" \(a string\); expected true or false/],
      [{ catalog: 'items.csv' }, /no option "catalog". Did you mean "catalogue"\?/],
    ] as const)
      await expect(attempt(options)).rejects.toThrow(message);
  });

  it('recommend, openModel, verify and the ledgers refuse wrong options', async () => {
    const history = [{ id: 'i1', rating: 5 }];
    for (const [attempt, message] of [
      [
        () => recommend(model, history, { k: '10' } as never),
        /k is "10" \(a string\); expected a whole number/,
      ],
      [() => recommend(model, history, { n: 10 } as never), /there is no option "n"/],
      [
        () => recommend(model, history, { exclude: 'i1' } as never),
        /exclude is "i1".*expected a list or set/,
      ],
      [() => recommend(model, { i1: 5 } as never), /the history is no list/],
      [() => recommend(model, [{ id: 1 as never, rating: 5 }]), /has the id 1; ids are text: write "1"/],
      [() => recommend(model, [...history, { id: 'i2', rating: '5' as never }]), /line 2 of the history/],
      [() => recommend(model, [null as never]), /line 1 of the history is no item/],
      [() => openModel(7 as never), /the model is 7; expected a text/],
      [() => verify(model, { trustedKeys: 'ab' } as never), /trustedKeys is "ab".*expected a list/],
      [() => verify(model, { keys: ['ab'] } as never), /there is no option "keys"/],
      [() => ledgerOf(data, { ledger: 1 } as never), /ledger is 1; expected a text/],
      [() => openLedger(ledger, { create: 'yes' } as never), /create is "yes".*expected true or false/],
    ] as const)
      await expect(attempt()).rejects.toThrow(message);
  });
});
