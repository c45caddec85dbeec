import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exitCodes } from '../exit-codes.js';
import { runCommand as run, trainDpals } from '../run-command.test.data.js';

let folder: string;
let data: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hushrec-ledger-command-'));
  data = join(folder, 'data');
  const sizes = ['--people', '80', '--items', '20', '--ratings', '600', '--seed', '1'];
  expect((await run('generate', data, ...sizes)).code).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const train = (out: string, epsilon: number) => trainDpals(data, epsilon, 1e-5, join(folder, out), '--json');

describe('hushrec ledger, verify and audit', () => {
  it('record, grant, refuse and export', async () => {
    expect((await train('first', 1)).code).toBe(0);
    const shown = await run('ledger', 'show', data, '--delta', '1e-5', '--json');
    expect(shown.json).toMatchObject({ grant: null, runs: 1, unfinishedRuns: 0, refused: false });
    expect(shown.json.spent[0].epsilon).toBeCloseTo(1, 6);

    expect((await run('ledger', 'grant', data, '--epsilon', '1.5', '--delta', '1e-5')).code).toBe(0);
    const refused = await train('second', 1.5);
    expect(refused.code).toBe(exitCodes.privacyRefused);
    expect(refused.errors).toMatch(/budget/);
    expect((await train('third', 1)).code).toBe(0);

    expect((await run('ledger', 'refuse', data, '--note', 'stop')).code).toBe(0);
    expect((await train('fourth', 0.01)).code).toBe(exitCodes.privacyRefused);

    const exported = await run('ledger', 'export', data, '--json');
    expect(exported.json.entries.map((each: { event: { kind: string } }) => each.event.kind)).toEqual([
      'account',
      'spend',
      'completion',
      'grant',
      'spend',
      'completion',
      'refusal',
    ]);
    expect(exported.json.head.number).toBe(7);
    expect((await run('ledger', 'show', data, '--expect', exported.json.head.hash)).text).toMatch(/Refused/);
    expect((await run('ledger', 'show', data, '--expect', 'ab'.repeat(32))).code).toBe(
      exitCodes.privacyRefused,
    );
  });

  it('say what is missing in a grant, and what is no data set', async () => {
    expect((await run('ledger', 'grant', data)).code).toBe(exitCodes.wrongUsage);
    expect((await run('ledger', 'show', join(folder, 'nowhere'))).code).toBe(exitCodes.badData);
    expect((await run('verify', join(folder, 'nowhere'))).code).toBe(exitCodes.badData);
  });

  it('refuse runs without a finite guarantee under a grant, unless told to write them down', async () => {
    const own = join(folder, 'unprotected');
    await run('generate', own, '--people', '80', '--items', '20', '--ratings', '600', '--seed', '1');
    const trained = (name: string, ...flags: string[]) =>
      run('train', own, '--threads', '1', '--out', join(folder, name), ...flags);
    expect((await trained('free', '--method', 'als')).code).toBe(0);
    expect((await run('ledger', 'grant', own, '--epsilon', '1', '--delta', '1e-5')).code).toBe(0);
    const attempts = [
      ['--method', 'als'],
      ['--method', 'dpals', '--epsilon', 'inf', '--set', 'rank=2'],
      ['--method', 'dpals', '--epsilon', '1', '--set', 'rank=2', '--seed', '1'],
      ['--method', 'am-ssp', '--epsilon', '1', '--set', 'unit=rating', '--set', 'rank=2'],
    ];
    for (const [at, attempt] of attempts.entries()) {
      const refused = await trained(`refused-${at}`, ...attempt);
      expect(refused.code).toBe(exitCodes.privacyRefused);
      expect(refused.errors).toMatch(/--record-unprotected/);
      expect(existsSync(join(folder, `refused-${at}`))).toBe(false);
      expect((await trained(`told-${at}`, ...attempt, '--record-unprotected')).code).toBe(0);
    }
    const shown = await run('ledger', 'show', own, '--json');
    // Also the one that nothing refused, before the grant.
    expect(shown.json).toMatchObject({ runs: 0, unprotectedRuns: 5 });
  });

  it('miss a ledger that is gone until someone says what happened', async () => {
    const own = join(folder, 'missed');
    const ledger = join(folder, 'missed.sqlite');
    await run('generate', own, '--people', '80', '--items', '20', '--ratings', '600');
    const grant = ['ledger', 'grant', own, '--epsilon', '1', '--delta', '1e-5', '--ledger', ledger];
    expect((await run(...grant, '--new-ledger')).code).toBe(0);
    rmSync(ledger);
    // Neither the default ledger nor a new one is taken for it.
    for (const args of [grant, [...grant, '--new-ledger'], ['ledger', 'show', own], grant.slice(0, -2)]) {
      const refused = await run(...args);
      expect(refused.code).toBe(exitCodes.privacyRefused);
      expect(refused.errors).toMatch(/accept-loss/);
    }
    const als = ['train', own, '--method', 'als', '--out', join(folder, 'missed-model')];
    expect((await run(...als)).code).toBe(exitCodes.privacyRefused);
    const accept = ['ledger', 'accept-loss', own, '--ledger', ledger, '--new-ledger'];
    expect((await run(...accept)).code).toBe(exitCodes.wrongUsage);
    expect((await run(...accept, '--note', 'disk failed')).code).toBe(0);
    expect((await run(...accept, '--note', 'again')).code).toBe(exitCodes.wrongUsage);
    expect((await run(...grant)).code).toBe(0);
    const shown = await run('ledger', 'show', own, '--ledger', ledger, '--json');
    expect(shown.json).toMatchObject({ losses: 1, runs: 0 });
  });

  it('know accounts by name, plan runs to come, and grant per period', async () => {
    const planned = await run(
      'ledger',
      'plan',
      '--runs',
      '12',
      '--epsilon',
      '4',
      '--delta',
      '1e-6',
      '--json',
    );
    // The figure of docs/ledger.md.
    expect(planned.json.each).toBe(1.0235);
    const own = join(folder, 'planned');
    await run('generate', own, '--people', '80', '--items', '20', '--ratings', '600');
    expect((await run('ledger', 'plan', own, '--runs', '12')).code).toBe(exitCodes.wrongUsage);
    const granted = await run('ledger', 'grant', own, '--epsilon', '4', '--delta', '1e-6', '--per', 'year');
    expect(granted.errors).toMatch(/after 5 ε = \d/);
    expect(granted.text).toMatch(/ε = 4 a year/);
    const { account } = JSON.parse(readFileSync(join(own, 'dataset.json'), 'utf8'));
    const byId = await run('ledger', 'plan', account.id, '--runs', '12', '--json');
    expect(byId.json).toMatchObject({ each: planned.json.each, account: account.id });
    const unknown = await run('ledger', 'show', 'nobody');
    expect(unknown.code).toBe(exitCodes.badData);
    expect(unknown.errors).toContain(account.id);
  });

  it('make no ledger where a place was mistyped', async () => {
    const own = join(folder, 'mistyped');
    await run('generate', own, '--people', '80', '--items', '20', '--ratings', '600');
    const typo = join(folder, 'ledgre.sqlite');
    for (const args of [
      ['ledger', 'show', own],
      ['ledger', 'grant', own, '--epsilon', '1', '--delta', '1e-5'],
      ['train', own, '--method', 'dpals', '--epsilon', '1', '--out', join(folder, 'typo')],
      ['train', own, '--method', 'als', '--out', join(folder, 'typo')],
    ]) {
      const refused = await run(...args, '--ledger', typo);
      expect(refused.code).toBe(exitCodes.wrongUsage);
      expect(refused.errors).toContain(typo);
    }
    expect(existsSync(typo)).toBe(false);
  });

  it('verify what was trained, and fail on another key', async () => {
    const model = join(folder, 'verified');
    await run('ledger', 'grant', data, '--epsilon', '50', '--delta', '1e-5');
    const trained = await train('verified', 2);
    expect(trained.code).toBe(0);
    const verified = await run('verify', model, '--json');
    expect(verified.code).toBe(0);
    expect(verified.json.ok).toBe(true);
    expect(verified.json.checks.every((check: { ok: boolean }) => check.ok)).toBe(true);
    const unsigned = await run('verify', model, '--key', 'ab'.repeat(32));
    expect(unsigned.code).toBe(exitCodes.failed);
    expect(unsigned.text).toMatch(/does NOT hold/);
  });

  it('audit a method and print the fields others rely on', async () => {
    const audited = await run('audit', 'dpals', '--runs', '12', '--json');
    expect(audited.code).toBe(0);
    expect(audited.json).toMatchObject({ method: 'dpals', runs: 48, ok: true, confidence: 0.99999 });
    expect(audited.json.lowerBound).toBeLessThanOrEqual(audited.json.claimed);
    const once = await run('audit', 'dpals', '--one-run', '20', '--json');
    expect(once.json).toMatchObject({ runs: 1, canaries: 20, ok: true });
    expect((await run('audit', 'no-such-method')).code).toBe(exitCodes.wrongUsage);
    expect((await run('audit', 'dpals', '--canary', 'tweety')).code).toBe(exitCodes.wrongUsage);
  });

  it.each([
    ['0.9', 'Were ε and δ exchanged?'],
    ['0', 'Gaussian noise has no guarantee with δ = 0.'],
  ])('neither plans nor charges at δ = %s', async (delta, words) => {
    const own = join(folder, `no-promise-${delta}`);
    await run('generate', own, '--people', '20', '--items', '10', '--ratings', '100');
    const asked = ['--runs', '4', '--epsilon', '1', '--delta', delta];
    for (const command of [['plan'], ['tune', own, '--ledger', `${own}.sqlite`, '--new-ledger']]) {
      const refused = await run('ledger', ...command, ...asked);
      expect(refused.code).toBe(exitCodes.wrongUsage);
      expect(refused.errors).toContain(words);
    }
  });

  it('states nothing at a δ that is none', async () => {
    const own = join(folder, 'no-such-delta');
    await run('generate', own, '--people', '20', '--items', '10', '--ratings', '100');
    const at = ['--ledger', `${own}.sqlite`];
    await run('ledger', 'grant', own, ...at, '--new-ledger', '--epsilon', '1', '--delta', '1e-6');
    const refused = await run('ledger', 'show', own, ...at, '--delta', '0.9');
    expect(refused).toMatchObject({
      code: exitCodes.wrongUsage,
      errors: expect.stringContaining('exchanged'),
    });
  });

  // @door ledger tune: charge
  it('charges tuning: every run, or about three when their number is drawn', async () => {
    const own = join(folder, 'tuned');
    await run('generate', own, '--people', '80', '--items', '20', '--ratings', '600');
    const tune = (...flags: string[]) =>
      run(
        'ledger',
        'tune',
        own,
        '--epsilon',
        '0.2',
        '--delta',
        '1e-5',
        '--json',
        '--ledger',
        join(folder, 'tuning.sqlite'),
        '--new-ledger',
        ...flags,
      );
    const one = await tune('--runs', '1');
    expect(one.json.epsilon).toBeCloseTo(0.2, 6);
    const ten = await tune('--runs', '100');
    const drawn = await tune('--runs', '100', '--random-stopping');
    expect(ten.json.epsilon).toBeGreaterThan(1);
    expect(drawn.json.epsilon).toBeLessThan(ten.json.epsilon);
    expect(drawn.json.epsilon).toBeGreaterThan(0.2);
    const shown = await run(
      'ledger',
      'show',
      own,
      '--json',
      '--delta',
      '1e-4',
      '--ledger',
      join(folder, 'tuning.sqlite'),
    );
    expect(shown.json.runs).toBe(3);
    expect((await tune()).code).toBe(exitCodes.wrongUsage);
  });
});
