import '@hushrec/papers/register';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { methods } from '@hushrec/factorize';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from './run-command.test.data.js';

/** From a file to a recommendation with the fields others rely on, on data small enough for every method. */
const folder = mkdtempSync(join(tmpdir(), 'hushrec-whole-path-'));
const at = (name: string) => join(folder, name);
const data = at('data');
const clicks = at('clicks');
beforeAll(async () => {
  const sizes = ['--people', '60', '--items', '20', '--ratings', '500', '--seed', '3'];
  expect((await runCommand('generate', data, ...sizes)).code).toBe(0);
  const lines = Array.from(
    { length: 200 },
    (_, row) => `u${row % 40},i${((row % 40) * 5 + Math.floor(row / 40) * 7) % 12}`,
  );
  writeFileSync(at('clicks.csv'), `user,item\n${lines.join('\n')}\n`);
  expect((await runCommand('import', at('clicks.csv'), clicks)).code).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('import', () => {
  it('reports what was read, and assumes no scale silently', async () => {
    writeFileSync(at('small.csv'), 'user,item,rating\na,x,5\nb,y,1\na,x,4\n');
    const { code, json, errors } = await runCommand('import', at('small.csv'), at('small'), '--json');
    expect(code).toBe(0);
    expect(json).toMatchObject({
      people: 2,
      users: 2,
      items: 2,
      ratings: 2,
      duplicates: 1,
      badRows: 0,
      format: 'csv',
    });
    expect(errors).toContain('half stars from 0.5 to 5 were assumed');
  });

  it.each([
    ['a rating off the scale', 'a,x,5\nb,y,11\n', ['--scale', '1:5:1'], 3, /bad\.csv, line 2: the rating/],
    ['a header without an item', 'user,rating\na,5\n', ['--scale', '1:5:1'], 3, /no column for the item/],
    ['an empty file', '', [], 3, /it is empty/],
    ['an unreadable scale', 'a,x,5\n', ['--scale', '5'], 2, /min:max:step/],
    ['an unknown format', 'a,x,5\n', ['--format', 'xml'], 2, /Allowed choices/],
  ])('%s: one message, the right code, nothing written', async (_, text, options, code, message) => {
    writeFileSync(at('bad.csv'), text);
    const run = await runCommand('import', at('bad.csv'), at('bad'), ...options);
    expect(run).toMatchObject({ code, text: '' });
    expect(run.errors).toMatch(message);
    expect(readdirSync(folder).filter((name) => /^\.?bad(?!\.csv)/.test(name))).toEqual([]);
  });
});

describe.each(methods.map((method) => [method.id, method] as const))('%s', (id, method) => {
  const isPrivate = method.protects.length > 0;
  const source = method.feedback.includes('explicit') ? data : clicks;
  const model = at(`model-${id}`);

  it('trains, verifies and recommends', async () => {
    const epsilon = isPrivate ? ['--epsilon', '2'] : [];
    const options = ['--method', id, ...epsilon, '--delta', '1e-5', '--threads', '1', '--out', model];
    const run = await runCommand('train', source, ...options, '--json');
    expect(run.code, run.errors).toBe(0);
    expect(run.json).toMatchObject({ model, method: id, simulation: false });
    for (const field of ['unit', 'relation', 'epsilon', 'delta', 'seconds'])
      expect(run.json).toHaveProperty(field);
    const certificate = JSON.parse(readFileSync(join(model, 'certificate.json'), 'utf8'));
    if (isPrivate) {
      expect(run.json.epsilon).toBeLessThanOrEqual(2);
      expect(run.errors).toContain('Protected: ');
      expect(certificate.ledgerEntry).toMatch(/^[0-9a-f]{64}$/);
    } else {
      expect(run.json).toMatchObject({ unit: 'none', relation: 'none', epsilon: null });
    }
    expect(existsSync(`${model}.noise-key`)).toBe(false);

    const verified = await runCommand('verify', model, '--json');
    expect(verified.json, verified.text).toMatchObject({ ok: true });

    const { itemIds } = JSON.parse(readFileSync(join(model, 'model.json'), 'utf8'));
    const isExplicit = source === data;
    const lines = itemIds.slice(0, 3).map((item: string) => (isExplicit ? `${item},4` : item));
    writeFileSync(at('history.csv'), `${lines.join('\n')}\n`);
    const recommended = await runCommand(
      'recommend',
      model,
      '--history',
      at('history.csv'),
      '-k',
      '5',
      '--json',
    );
    expect(recommended.code, recommended.errors).toBe(0);
    expect(recommended.json.items).toHaveLength(5);
    for (const item of recommended.json.items) {
      expect(item).toMatchObject({
        id: expect.any(String),
        score: expect.any(Number),
        because: expect.any(Array),
      });
      expect(itemIds.slice(0, 3)).not.toContain(item.id);
    }
  });
});

describe('evaluate', () => {
  it.each(['holdout', 'k-fold', 'strong-generalization', 'leave-one-out'])('%s', async (protocol) => {
    const model = at('model-item-average');
    const options = ['--protocol', protocol, '--folds', '2', '--threads', '1', '--json'];
    const { code, json, errors } = await runCommand('evaluate', model, data, ...options);
    expect(code, errors).toBe(0);
    expect(json.protocol).toBe(protocol);
    const metrics = Object.values(json.metrics) as { value: number; low: number; high: number }[];
    expect(metrics.length).toBeGreaterThan(0);
    for (const { value, low, high } of metrics) {
      expect(low).toBeLessThanOrEqual(value);
      expect(high).toBeGreaterThanOrEqual(value);
    }
    expect(existsSync(join(model, 'metrics.json'))).toBe(true);
    expect((await runCommand('verify', model)).code).toBe(0);
  });

  it('folds in people whom a rating-level method has not published', async () => {
    const options = ['--protocol', 'strong-generalization', '--threads', '1', '--json'];
    const run = await runCommand('evaluate', at('model-private-als'), data, ...options);
    expect(run.code, run.errors).toBe(0);
  });

  it('keeps figures about people out of a folder that protects them, unless asked', async () => {
    const model = at('model-dpals');
    const options = ['--protocol', 'holdout', '--threads', '1'];
    const { errors } = await runCommand('evaluate', model, data, ...options);
    expect(errors).toContain('Metrics were not saved');
    expect(existsSync(join(model, 'metrics.json'))).toBe(false);
    await runCommand('evaluate', model, data, ...options, '--save');
    expect(statSync(`${model}.metrics.json`).mode & 0o777).toBe(0o600);
    expect(existsSync(join(model, 'metrics.json'))).toBe(false);
    expect((await runCommand('verify', model)).code).toBe(0);
  });
});

describe('train', () => {
  it('a seed makes a simulation, charged to nobody', async () => {
    const options = ['--epsilon', '1', '--seed', '1', '--threads', '1', '--out', at('seeded'), '--json'];
    const { json } = await runCommand('train', data, ...options);
    expect(json).toMatchObject({ simulation: true, ledgerEntry: null });
  });

  it.each([
    ['hush', 'holdout'],
    ['hush', 'strong-generalization'],
    ['hush', 'leave-one-out'],
    ['private-als', 'holdout'],
  ])('certifies %s on the part of %s, which `evaluate` then takes as it is', async (method, protocol) => {
    const out = at(`${method}-${protocol}`);
    const options = ['--method', method, '--epsilon', '1', '--protocol', protocol, '--threads', '1'];
    const run = await runCommand('train', data, ...options, '--out', out, '--json');
    expect(run.code, run.errors).toBe(0);
    expect(run.json).toMatchObject({ simulation: false, ledgerEntry: expect.any(String) });
    expect((await runCommand('verify', out)).code).toBe(0);
    const asked = await runCommand('evaluate', out, data, '--protocol', protocol, '--threads', '1', '--json');
    expect(asked.code, asked.errors).toBe(0);
    expect(asked.json.retrained).toBe(false);
  });

  it('uses any part of the data for a simulation', async () => {
    const options = ['--method', 'private-als', '--epsilon', '1', '--delta', '0', '--seed', '1'];
    const run = await runCommand(
      ...['train', data, ...options, '--protocol', 'leave-one-out', '--threads', '1', '--out', at('part')],
    );
    expect(run.code, run.errors).toBe(0);
    expect((await runCommand('verify', at('part'))).code).toBe(0);
  });

  it('states the true ε beside the nominal one', async () => {
    const options = ['--method', 'dpals', '--epsilon', '5', '--accounting', 'as-published', '--seed', '1'];
    const run = await runCommand('train', data, ...options, '--out', at('published'), '--json');
    expect(run.json).toMatchObject({ accounting: 'as-published', nominalEpsilon: 5 });
    expect(run.json.epsilon).not.toBe(5);
    expect(run.errors).toContain(`the true ε of that noise is ${run.json.epsilon}`);
  });

  it.each([
    ['no ε for a private method', [], 2, /give --epsilon/],
    ['an ε for a method without noise', ['--method', 'als', '--epsilon', '1'], 4, /cannot give epsilon 1/],
    ['an unknown method', ['--method', 'magic', '--epsilon', '1'], 2, /There is no method "magic"/],
    ['an unknown setting', ['--epsilon', '1', '--set', 'colour=red'], 2, /no setting "colour"/],
    ['a δ that is none', ['--epsilon', '1', '--delta', '2'], 2, /delta is 2/],
    ['a key that is not there', ['--epsilon', '1', '--signing-key', at('none')], 2, /cannot be read/],
    ['features that are not there', ['--epsilon', '1', '--features', at('none')], 3, /cannot be opened/],
    [
      'a part that a file chose',
      ['--epsilon', '1', '--protocol', 'leave-one-out', '--candidates', at('negatives')],
      4,
      /not chosen person by person.*one person changes what is used of everybody.*--seed/,
    ],
    ...['leave-one-out', 'strong-generalization'].map((protocol): [string, string[], number, RegExp] => [
      `a part of people, by ${protocol}, where single ratings are protected`,
      ['--method', 'private-als', '--epsilon', '1', '--delta', '0', '--protocol', protocol],
      4,
      /one rating changes which others of the same person are used.*holdout.*--seed/,
    ]),
  ])('refuses %s, before anything is charged', async (_, options, code, message) => {
    const before = (await runCommand('ledger', 'show', data, '--json')).json.runs;
    const run = await runCommand('train', data, ...options, '--out', at('refused'));
    expect(run.code, run.errors).toBe(code);
    expect(run.errors).toMatch(message);
    expect((await runCommand('ledger', 'show', data, '--json')).json.runs).toBe(before);
    expect(readdirSync(folder).filter((name) => name.includes('refused'))).toEqual([]);
  });

  it('leaves nothing behind when the budget refuses it', async () => {
    await runCommand('ledger', 'refuse', data);
    const run = await runCommand('train', data, '--epsilon', '1', '--out', at('stopped'));
    expect(run.code).toBe(4);
    expect(readdirSync(folder).filter((name) => name.includes('stopped'))).toEqual([]);
  });
});
