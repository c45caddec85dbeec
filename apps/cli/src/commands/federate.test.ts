import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDataset } from '@hushrec/ratings';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runCommand } from '../run-command.test.data.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-federate-'));
const data = join(folder, 'data');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function hushrec(...args: string[]) {
  const { code, text, errors } = await runCommand(...args);
  return { status: code, stdout: text, stderr: errors };
}

beforeAll(async () => {
  const made = await hushrec(
    'generate',
    data,
    '--people',
    '60',
    '--items',
    '40',
    '--ratings',
    '900',
    '--seed',
    '1',
  );
  if (made.status !== 0) throw new Error(made.stderr);
});

describe('hushrec federate simulate', () => {
  it('devices that hand in shares, some of them absent: a model folder that verifies and says who had to be honest', async () => {
    const out = join(folder, 'devices');
    const run = await hushrec(
      ...['federate', 'simulate', data, '--devices', '--epsilon', '20', '--absent', '0.3'],
      ...['--set', 'rounds=2', '--out', out, '--json'],
    );
    expect(run.status, run.stderr).toBe(0);
    const figures = JSON.parse(run.stdout);
    expect(figures).toMatchObject({
      method: 'hush',
      parties: 60,
      unit: 'user',
      epsilon: 20,
      simulation: true,
    });
    // Counts of 40 items at least, in words of 6 bytes, from those who are there; what follows is for the
    // method to decide by its releases.
    expect(figures.bytesPerParticipant).toBeGreaterThan(0.5 * 40 * 6);
    expect(JSON.parse((await hushrec('verify', out, '--json')).stdout)).toMatchObject({ ok: true });
    const certificate = JSON.parse(readFileSync(join(out, 'certificate.json'), 'utf8'));
    expect(certificate.federated).toMatchObject({ noiseBy: 'aggregators', honestNeeded: 1 });
    expect(certificate.federated.outside.epsilon).toBeLessThan(20);
    expect(readFileSync(join(out, 'CERTIFICATE.md'), 'utf8')).toContain(
      'at least 1 of these did what they signed',
    );
  });

  it('roles as processes: what they used, a model that verifies, and nothing left behind', async () => {
    const out = join(folder, 'processes');
    // Other tests simulate at the same time.
    const temporary = join(folder, 'temporary');
    mkdirSync(temporary);
    vi.stubEnv('TMPDIR', temporary);
    const run = await hushrec(
      ...['federate', 'simulate', data, '--parties', '2', '--processes', '--epsilon', '20'],
      ...['--method', 'dpals', '--set', 'rounds=2', '--out', out, '--json'],
    );
    expect(run.status, run.stderr).toBe(0);
    const figures = JSON.parse(run.stdout);
    expect(figures).toMatchObject({ method: 'dpals', parties: 2, epsilon: 20, simulation: true });
    expect(figures.roles.map(({ role }: { role: string }) => role)).toEqual([
      'aggregator-1',
      'aggregator-2',
      'coordinator',
      'party-1',
      'party-2',
    ]);
    for (const { cpuSeconds } of figures.roles) expect(cpuSeconds).toBeGreaterThan(0);
    expect(figures.bytesPerParticipant).toBeGreaterThan(figures.exchanges * 40);
    expect(JSON.parse((await hushrec('verify', out, '--json')).stdout)).toMatchObject({ ok: true });
    expect(readdirSync(temporary)).toEqual([]);
    vi.unstubAllEnvs();

    // Noise and masks of all roles follow from the seed, wherever they run.
    const inOne = async (seed: string) => {
      const model = join(folder, `in-one-${seed}`);
      const args = ['--parties', '2', '--epsilon', '20', '--method', 'dpals', '--set', 'rounds=2'];
      const simulated = await hushrec(
        ...['federate', 'simulate', data, ...args, '--seed', seed, '--out', model],
      );
      expect(simulated.status, simulated.stderr).toBe(0);
      return readFileSync(join(model, 'item-factors.safetensors'));
    };
    const among = readFileSync(join(out, 'item-factors.safetensors'));
    expect(await inOne('1')).toEqual(among);
    expect(await inOne('2')).not.toEqual(among);
  });

  it('learns from public facts of each kind, and says what a method does not use', async () => {
    const file = (name: string, lines: readonly string[]) => {
      writeFileSync(join(folder, name), `${lines.join('\n')}\n`);
      return join(folder, name);
    };
    const { itemIds } = await openDataset(data);
    const kinds = file('kinds.csv', ['item,kind', ...itemIds.map((id, at) => `${id},${at % 3}`)]);
    const alike = file('alike.csv', [
      'item,other,similarity',
      ...itemIds.slice(1).map((id, at) => `${id},${itemIds[at]},0.9`),
    ]);
    const critics = file('critics.csv', [
      'user,item,rating',
      ...itemIds.map((id, at) => `c${at % 4},${id},4`),
    ]);
    const model = async (name: string, ...args: string[]) => {
      const out = join(folder, name);
      const run = await hushrec(
        ...['federate', 'simulate', data, '--parties', '3', '--epsilon', '20', '--method', 'dp-cmf'],
        ...['--set', 'rounds=1', '--out', out, ...args],
      );
      expect(run.status, run.stderr).toBe(0);
      expect((await hushrec('verify', out)).status).toBe(0);
      return {
        factors: readFileSync(join(out, 'item-factors.safetensors')).toString('hex'),
        said: run.stderr,
      };
    };
    const models = [
      await model('no-facts', '--features', 'none'),
      await model('kinds', '--features', kinds),
      await model('alike', '--features', alike, '--kind', 'similarity'),
      await model('critics', '--features', critics, '--kind', 'public-ratings'),
    ];
    expect(new Set(models.map(({ factors }) => factors)).size).toBe(models.length);
    const { said } = await model('hush', '--method', 'hush', '--features', alike, '--kind', 'similarity');
    expect(said).toContain('Not used: alike.csv. hush learns from categorical features only.');
  });

  it('one seed gives one model, with devices absent too, and another seed another', async () => {
    const model = async (name: string, ...args: string[]) => {
      const out = join(folder, name);
      const run = await hushrec(
        ...['federate', 'simulate', data, '--devices', '--epsilon', '20', '--set', 'rounds=1'],
        ...['--absent', '0.3', '--out', out, ...args],
      );
      expect(run.status, run.stderr).toBe(0);
      expect(readFileSync(join(out, 'CERTIFICATE.md'), 'utf8')).toContain('Simulation');
      return readFileSync(join(out, 'item-factors.safetensors'));
    };
    const first = await model('first', '--seed', '5');
    expect(await model('again', '--seed', '5')).toEqual(first);
    expect(await model('other', '--seed', '6')).not.toEqual(first);
  });

  it('refuses more parties than people, and processes that nobody could follow', async () => {
    const simulate = (...args: string[]) =>
      hushrec('federate', 'simulate', data, '--epsilon', '2', '--out', join(folder, 'none'), ...args);
    expect((await simulate('--parties', '61')).status).toBe(2);
    expect((await simulate('--processes', '--absent', '0.3')).status).toBe(2);
    expect((await simulate('--processes', '--parties', '21')).stderr).toContain('at most 20');
  });
});

describe('hushrec federate charter', () => {
  const card = (name: string) => join(folder, name, 'identity.json');
  const charter = (name: string, asked: object, ...args: string[]) => {
    const request = {
      ...{ catalogue: data, method: 'dpals', settings: { rounds: 1 }, coordinator: card('board') },
      ...{ aggregators: [card('north'), card('south')], parties: [card('north')] },
      ...asked,
    };
    const file = join(folder, 'request.json');
    writeFileSync(file, JSON.stringify(request));
    return hushrec('federate', 'charter', join(folder, name), file, ...args);
  };
  beforeAll(async () => {
    for (const name of ['board', 'north', 'south'])
      await hushrec(
        'federate',
        'identity',
        join(folder, name),
        '--name',
        name,
        '--url',
        `https://${name}.example`,
      );
  });

  it.each([
    ['a weak δ', { epsilon: 5, delta: 1e-3, people: 1000 }, 'Choose δ ≤ 0.0001, or say --accept-weak'],
    ['a weak ε', { epsilon: 21, people: 100 }, 'promises next to nothing'],
  ])(
    'refuses %s, as training does, unless it is meant; a party has to allow it too',
    async (name, asked, words) => {
      const refused = await charter('refused', asked);
      expect(refused.status).toBe(4);
      expect(refused.stderr).toContain(words);
      expect(refused.stderr).toContain('Nothing was written.');
      expect(readdirSync(folder)).not.toContain('refused');

      const meant = await charter(name, asked, '--accept-weak');
      expect(meant.status, meant.stderr).toBe(0);
      const file = join(folder, name, 'charter.json');
      for (const aggregator of ['north', 'south'])
        expect((await hushrec('federate', 'sign', file, '--identity', join(folder, aggregator))).status).toBe(
          0,
        );
      const party = await hushrec(
        ...['federate', 'party', join(folder, 'north'), '--charter', file, '--ratings', data],
      );
      expect(party.status).toBe(4);
      expect(party.stderr).toMatch(/The charter .+ is refused: .* Nothing was charged\.$/m);
    },
  );

  it.each([
    ['a field that there is not', { epsilon: 5, people: 100, epsilom: 1 }, 'there is no field "epsilom"'],
    ['a field of another kind', { epsilon: '5', people: 100 }, '"epsilon" is "5"; expected a number'],
    ['a number that is not whole', { epsilon: 5, people: 1.5 }, 'expected a whole number from 1'],
    ['a field that is missing', { epsilon: 5 }, '"people" is missing'],
    [
      'one aggregator as a text',
      { epsilon: 5, people: 9, aggregators: 'a.json' },
      'expected a list of paths',
    ],
    ['nobody who adds up', { epsilon: 5, people: 9, aggregators: [] }, '"aggregators" is empty'],
    ['other makers of noise', { epsilon: 5, people: 9, noiseBy: 'me' }, 'expected aggregators or parties'],
    ['windows for parties', { epsilon: 5, people: 9, window: 60 }, 'are for devices'],
    ['an issuer for parties', { epsilon: 5, people: 9, issuer: 'a.json' }, 'are for devices'],
    ['looks at parties', { epsilon: 5, people: 9, screening: 0.1 }, 'are for devices'],
    ['norm proofs of parties', { epsilon: 5, people: 9, normProofs: true }, 'are for devices'],
    ['norm proofs in words', { epsilon: 5, people: 9, normProofs: 'yes' }, 'expected true or false'],
    ['an end by reports for devices', { epsilon: 5, people: 9, parties: [], longest: 9 }, 'is for parties'],
  ])('refuses a request with %s', async (_, asked, words) => {
    const { status, stderr } = await charter('refused', asked);
    expect(status, stderr).toBe(2);
    expect(stderr).toContain(words);
    expect(readdirSync(folder)).not.toContain('refused');
  });

  it.each([
    ['a method without privacy', { method: 'als', settings: {} }, 'method als does not protect people'],
    ['looks at all of the privacy', { parties: [], screening: 2 }, '"screening" is 2; expected a part'],
  ])('refuses %s', async (_, asked, words) => {
    const windows = { opens: '2027-01-01T00:00:00Z', window: 60 };
    const given = { epsilon: 5, people: 100, ...('parties' in asked && windows), ...asked };
    const { status, stderr } = await charter('refused', given);
    expect(status, stderr).toBe(4);
    expect(stderr).toContain(words);
    expect(readdirSync(folder)).not.toContain('refused');
  });

  it('refuses a request that is no file, and one that is no JSON', async () => {
    const of = (file: string) => hushrec('federate', 'charter', join(folder, 'refused'), join(folder, file));
    expect(await of('none.json')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('no such file'),
    });
    writeFileSync(join(folder, 'torn.json'), '{"epsilon": 5');
    expect(await of('torn.json')).toMatchObject({ status: 2, stderr: expect.stringContaining('not JSON') });
  });

  it('public facts of a request are in the catalogue', async () => {
    const { itemIds } = await openDataset(data);
    const kinds = ['item,kind', ...itemIds.map((id, at) => `${id},${at % 3}`)];
    writeFileSync(join(folder, 'kinds-of-items.csv'), `${kinds.join('\n')}\n`);
    const alike = ['item,other,similarity', `${itemIds[1]},${itemIds[0]},0.9`];
    writeFileSync(join(folder, 'alike-items.csv'), `${alike.join('\n')}\n`);
    const features = ['kinds-of-items.csv', { file: 'alike-items.csv', kind: 'similarity' }];
    const asked = { epsilon: 5, people: 100, method: 'dp-cmf', features };
    const { status, stderr } = await charter('with-facts', asked);
    expect(status, stderr).toBe(0);
    const kept = (name: string) =>
      JSON.parse(readFileSync(join(folder, name, 'catalogue.json'), 'utf8')).features as
        | unknown[]
        | undefined;
    expect(kept('with-facts')?.length).toBeGreaterThanOrEqual(2);
    expect((await charter('no-facts', { ...asked, features: [] })).status).toBe(0);
    expect(kept('no-facts')).toBeUndefined();
  });

  it('refuses an ε that no certificate could state, meant or not', async () => {
    const refused = await charter('none', { epsilon: 100, people: 10 }, '--accept-weak');
    expect(refused.status).toBe(4);
    expect(refused.stderr).toContain('cannot be certified');
  });

  it('a role of a run about people takes no seed', async () => {
    expect((await charter('real', { epsilon: 5, people: 100 })).status).toBe(0);
    const file = join(folder, 'real', 'charter.json');
    for (const aggregator of ['north', 'south'])
      await hushrec('federate', 'sign', file, '--identity', join(folder, aggregator));
    vi.stubEnv('HUSHREC_SIMULATION_SEED', '1');
    for (const [role, ...more] of [['aggregator'], ['party', '--ratings', data]]) {
      const seeded = await hushrec(...['federate', role, join(folder, 'north'), '--charter', file, ...more]);
      expect(seeded.status).toBe(2);
      expect(seeded.stderr).toContain('noise from a seed protects nobody');
    }
    vi.unstubAllEnvs();
  });
});
