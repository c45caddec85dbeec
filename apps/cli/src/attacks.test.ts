import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exitCodes } from './exit-codes.js';
import { runCommand as run } from './run-command.test.data.js';

/** What went round the recorder once, tried as an attacker would, through the command line. */
let folder: string;
let data: string;
const at = (name: string) => join(folder, name);
const train = (out: string, ...flags: string[]) =>
  run('train', data, '--epsilon', '1', '--delta', '1e-6', '--threads', '1', '--out', at(out), ...flags);
const contentHash = () => JSON.parse(readFileSync(join(data, 'dataset.json'), 'utf8')).contentHash as string;
const spent = async () => (await run('ledger', 'show', data, '--delta', '1e-6', '--json')).json;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hushrec-attacks-'));
  data = at('data');
  const sizes = ['--people', '80', '--items', '20', '--ratings', '700', '--seed', '1'];
  expect((await run('generate', data, ...sizes)).code).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a model folder', () => {
  it('holds no hash of the ratings, in no file', async () => {
    expect((await train('model', '--with-releases')).code).toBe(0);
    const hash = contentHash();
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    for (const name of readdirSync(at('model'))) {
      const bytes = readFileSync(join(at('model'), name));
      expect(bytes.includes(hash), name).toBe(false);
      expect(bytes.includes(hash.slice(0, 16)), name).toBe(false);
      expect(bytes.includes(Buffer.from(hash, 'hex')), name).toBe(false);
    }
    const certificate = JSON.parse(readFileSync(join(at('model'), 'certificate.json'), 'utf8'));
    expect(certificate).not.toHaveProperty('dataset');
    expect(certificate).toMatchObject({
      account: expect.stringMatching(/^[0-9a-f]{32}$/),
      catalogue: 'rated items',
    });
  });

  it('of the old form is refused, with the reason', async () => {
    cpSync(at('model'), at('old'), { recursive: true });
    const file = join(at('old'), 'certificate.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('hushrec-certificate-2', 'hushrec-certificate-1'));
    const { code, text } = await run('verify', at('old'));
    expect(code).toBe(exitCodes.failed);
    expect(text).toContain('hash of the raw ratings');
  });

  it('follows from its releases', async () => {
    expect((await run('verify', at('model'), '--data', data)).text).toContain(
      'recomputed, equal to the last bit',
    );
  });
});

describe('the secret of a run', () => {
  it.each([
    ['empty, as a full disk leaves it', Buffer.alloc(0)],
    ['short', Buffer.alloc(16, 7)],
    ['zero', Buffer.alloc(64)],
  ])('is not resumed with when it is %s', async (_, bytes) => {
    writeFileSync(at('weak.noise-key'), bytes);
    const { code, errors } = await train('weak', '--resume');
    expect(code).toBe(exitCodes.privacyRefused);
    expect(errors).toContain('does not hold the secret of a run');
    expect(existsSync(at('weak'))).toBe(false);
    rmSync(at('weak.noise-key'));
  });
});

describe('one charge', () => {
  it('buys nothing that must fail: it is rehearsed before', async () => {
    const rows = Array.from({ length: 300 }, (_, row) => `ann${row % 30},book-${(row * 7) % 20}`);
    writeFileSync(at('likes.csv'), `user,item\n${rows.join('\n')}\n`);
    const flags = ['--epsilon', '1', '--delta', '1e-6', '--threads', '1', '--out', at('likes-model')];
    const { code, errors } = await run(
      'train',
      at('likes.csv'),
      '--method',
      'dpals',
      '--set',
      'centring=private-mean',
      ...flags,
    );
    expect(code, errors).not.toBe(0);
    expect(errors).not.toContain('Charged');
    expect(existsSync(at('likes-model.noise-key'))).toBe(false);
  });

  it.each([
    ['als', []],
    ['hush', ['--epsilon', 'inf']],
    ['am-ssp', ['--set', 'unit=rating']],
  ])('is not avoided by %s %j where a grant holds', async (method, more) => {
    expect((await run('ledger', 'grant', data, '--epsilon', '1', '--delta', '1e-6')).code).toBe(0);
    const base = method === 'als' ? ['train', data] : ['train', data, '--epsilon', '1', '--delta', '1e-6'];
    const { code } = await run(
      ...base,
      '--method',
      method,
      '--threads',
      '1',
      '--out',
      at(`free-${method}`),
      ...more,
    );
    expect(code).toBe(exitCodes.privacyRefused);
    expect(existsSync(at(`free-${method}`))).toBe(false);
  });
});

describe('a weak guarantee', () => {
  it('is refused before anything is charged, unless it is meant', async () => {
    const before = await spent();
    const high = await run('train', data, '--epsilon', '50', '--delta', '1e-6', '--out', at('weak'));
    expect([high.code, high.errors]).toEqual([
      exitCodes.privacyRefused,
      expect.stringContaining('next to nothing'),
    ]);
    const wide = await run(
      'train',
      data,
      '--epsilon',
      '1',
      '--delta',
      '1e-3',
      '--people',
      '80000',
      '--out',
      at('weak'),
    );
    expect([wide.code, wide.errors]).toEqual([
      exitCodes.privacyRefused,
      expect.stringContaining('1/(10 × 80000 people)'),
    ]);
    expect(await spent()).toEqual(before);
  });

  it('is called what it is', async () => {
    expect((await run('privacy', 'explain', '--epsilon', '1000')).text).toContain('next to nothing');
    expect((await run('privacy', 'explain', '--epsilon', '1')).text).toContain('strong');
  });
});
