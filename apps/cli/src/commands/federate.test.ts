import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from '@hushrec/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runCommand } from '../run-command.test.data.js';

const program = fileURLToPath(new URL('../../bin/hushrec.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'hushrec-federate-'));
const data = join(folder, 'data');
const environment = { ...process.env, HUSHREC_LEDGER: '' };
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function hushrec(...args: string[]) {
  const { code, text, errors } = await runCommand(...args);
  return { status: code, stdout: text, stderr: errors };
}

beforeAll(async () => {
  const made = await hushrec(
    'generate',
    data,
    '--users',
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
  it.each(['items', 'users'])(
    'parties that noise their own sums, shared %s: a model folder that verifies, labelled a simulation',
    async (shared) => {
      const out = join(folder, shared);
      const run = await hushrec(
        ...['federate', 'simulate', data, '--parties', '3', '--shared', shared],
        ...['--epsilon', '2', '--out', out, '--json'],
      );
      expect(run.status, run.stderr).toBe(0);
      expect(JSON.parse(run.stdout)).toMatchObject({
        model: out,
        method: 'dpimf',
        parties: 3,
        shared,
        unit: 'rating-presence',
        relation: 'add-remove',
        epsilon: 2,
        simulation: true,
      });
      expect(JSON.parse((await hushrec('verify', out, '--json')).stdout)).toMatchObject({ ok: true });
      const model = JSON.parse(readFileSync(join(out, 'model.json'), 'utf8'));
      expect(model.run.simulatedParties).toBe(3);
      expect(JSON.stringify(model).includes('userIds')).toBe(shared === 'users');
    },
  );

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
    const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith('hushrec-simulation-'));
    const before = left();
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
    expect(left()).toEqual(before);
  });

  it('refuses the printed protocol, settings with options of their own, and more parties than people', async () => {
    const simulate = (...args: string[]) =>
      hushrec('federate', 'simulate', data, '--epsilon', '2', '--out', join(folder, 'none'), ...args);
    expect((await simulate('--shared', 'items', '--set', 'repaired=false')).status).toBe(4);
    expect((await simulate('--shared', 'items', '--set', 'rounds=3')).status).toBe(2);
    expect((await simulate('--parties', '61')).status).toBe(2);
    expect((await simulate('--processes', '--absent', '0.3')).status).toBe(2);
    expect((await simulate('--processes', '--shared', 'items')).status).toBe(2);
    expect((await simulate('--processes', '--parties', '21')).stderr).toContain('at most 20');
  });
});

/** Shell blocks of the guide, in order, with the machine they are for and whether they go on running. */
const guide = readFileSync(new URL('../../../../docs/guides/federated.md', import.meta.url), 'utf8');
const section = guide.slice(guide.indexOf('## Three parties'), guide.indexOf('## A site with'));
/** The site's commands, each on a line of its own. */
const siteBlocks = [...guide.slice(guide.indexOf('## A site with')).matchAll(/```sh\n([^`]*)```/g)].map(
  ([, text]) => text!,
);
const blocks = [...section.matchAll(/```sh\n# on (\w+)([^\n]*)\n([^`]*)```/g)].map(
  ([, machine, rest, text]) => ({
    machine: machine!,
    runs: rest!.includes('keep running'),
    commands: text!.trim().split('\n'),
  }),
);

it('no command of the guide is left out', () => {
  const shells = guide.split('```sh\n').length - 1;
  expect(shells).toBe(blocks.length + siteBlocks.length);
});

describe('the guide for three parties, run as it is written', () => {
  const machines = ['north', 'south', 'west'];
  const at = (machine: string, ...path: string[]) => join(folder, 'guide', machine, ...path);
  let addresses: Map<string, string>;
  beforeAll(async () => {
    addresses = new Map();
    for (const address of ['north.example:8441', 'south.example:8442', 'west.example:8443'])
      addresses.set(address, `127.0.0.1:${await freePort()}`);
    addresses.set('west.example', '127.0.0.1');
    const items = Array.from({ length: 20 }, (_, item) => `book-${item},Title ${item}`);
    for (const [index, machine] of machines.entries()) {
      mkdirSync(at(machine), { recursive: true });
      writeFileSync(at(machine, 'items.csv'), `item,title\n${items.join('\n')}\n`);
      const rows = Array.from({ length: 300 }, (_, row) => {
        const user = row % 30;
        const item = (user * 5 + Math.floor(row / 30) * 7 + index) % 20;
        return `reader${user},book-${item},${1 + ((user + item) % 5)}`;
      });
      writeFileSync(at(machine, `${machine}-ratings.csv`), `user,item,rating\n${rows.join('\n')}\n`);
    }
    writeFileSync(at('west', 'mine.csv'), 'book-1,5\nbook-2,1\n');
  });

  /** What the guide leaves to people: cards and the charter are passed round. */
  function passOn(from: string): void {
    for (const to of machines.filter((machine) => machine !== from))
      for (const name of [from, 'run']) {
        const source = at(from, name);
        if (!existsSync(source)) continue;
        mkdirSync(at(to, name), { recursive: true });
        for (const file of readdirSync(source))
          if (['identity.json', 'charter.json', 'catalogue.json'].includes(file))
            copyFileSync(join(source, file), at(to, name, file));
      }
  }

  const running: ChildProcess[] = [];
  afterAll(() => {
    for (const child of running) child.kill('SIGKILL');
  });

  const addressed = (command: string) =>
    [...addresses].reduce((line, [from, to]) => line.replaceAll(`https://${from}`, `https://${to}`), command);

  /** In this process, which saves the start of another; what a shell has to expand goes to a shell. */
  async function runOnce(machine: string, command: string) {
    if (command.includes('*')) return start(machine, command);
    const before = process.cwd();
    process.chdir(at(machine));
    try {
      return await runCommand(...addressed(command).split(/\s+/).slice(1));
    } finally {
      process.chdir(before);
    }
  }

  function start(machine: string, command: string): Promise<{ code: number; text: string; errors: string }> {
    let line = addressed(command);
    // The guide's machines listen on all interfaces and wait a while for latecomers; here one interface and
    // no waiting will do.
    if (/ (aggregator|coordinator) /.test(line)) {
      const name = line.split(' ')[3];
      const { url } = JSON.parse(readFileSync(at(machine, name, 'identity.json'), 'utf8')) as { url: string };
      line += ` --listen ${new URL(url).host}${line.includes('coordinator') ? ' --linger 2' : ''}`;
    }
    const child = spawn('sh', ['-c', line.replace(/^hushrec/, `exec "${process.execPath}" "${program}"`)], {
      cwd: at(machine),
      env: { ...environment, HUSHREC_LEDGER: at(machine, 'ledger.sqlite') },
    });
    running.push(child);
    let text = '';
    let errors = '';
    child.stdout!.on('data', (chunk) => (text += chunk));
    child.stderr!.on('data', (chunk) => (errors += chunk));
    return new Promise((resolve) => child.on('close', (code) => resolve({ code: code ?? -1, text, errors })));
  }

  it('gives a model that verify recomputes from the log', { timeout: 120_000 }, async () => {
    expect(blocks.filter(({ runs }) => runs)).toHaveLength(6);
    const kept: Promise<{ code: number; text: string; errors: string }>[] = [];
    for (const { machine, runs, commands } of blocks) {
      if (!runs && kept.length > 0) {
        for (const { code, errors } of await Promise.all(kept.splice(0))) expect(code, errors).toBe(0);
      }
      for (const command of commands) {
        // Ledgers are the machines' own and new.
        const line = / party /.test(command) ? `${command} --new-ledger` : command;
        if (runs) kept.push(start(machine, line));
        else {
          const { code, text, errors } = await runOnce(machine, line);
          expect(code, `${command}\n${errors}`).toBe(0);
          if (command.startsWith('hushrec verify')) expect(text).toContain('recomputed without any ratings');
          if (command.startsWith('hushrec recommend')) expect(text).toContain('Title');
        }
      }
      passOn(machine);
    }
    const certificate = readFileSync(at('west', 'model', 'CERTIFICATE.md'), 'utf8');
    expect(certificate).toContain('at least 1 of these did what they signed: north, south');
  });

  it('a log that was touched is noticed', () => {
    const run = readdirSync(at('west', 'board')).find((name) => name.startsWith('run-'))!;
    const file = at('west', 'board', run, 'sums-2.words');
    const bytes = readFileSync(file);
    bytes[0] ^= 1;
    writeFileSync(file, bytes);
    const verify = spawnSync(process.execPath, [program, 'verify', 'model', '--log', join('board', run)], {
      cwd: at('west'),
      encoding: 'utf8',
    });
    expect(verify.status).toBe(1);
    expect(verify.stdout).toContain('FAILED');
  });
});

describe('the guide for a site with a second operator', () => {
  const place = join(folder, 'site');
  const commands = siteBlocks
    .flatMap((text) => text.trim().split('\n'))
    .filter((line) => !line.startsWith('#'));
  const isLater = (line: string) => / (serve|simulate) /.test(line);
  beforeAll(() => {
    mkdirSync(join(place, 'models'), { recursive: true });
    const items = Array.from({ length: 20 }, (_, item) => `book-${item},Title ${item}`);
    writeFileSync(join(place, 'items.csv'), `item,title\n${items.join('\n')}\n`);
    const rows = Array.from(
      { length: 120 },
      (_, row) => `ann${row % 12},book-${(7 * row) % 20},${1 + (row % 5)}`,
    );
    writeFileSync(join(place, 'ratings.csv'), `user,item,rating\n${rows.join('\n')}\n`);
  });

  it('gives a charter that both have signed, with a window for every exchange', async () => {
    const before = process.cwd();
    process.chdir(place);
    try {
      for (const command of commands.filter((line) => !isLater(line))) {
        const run = await hushrec(...command.split(/\s+/).slice(1));
        expect(run.status, `${command}\n${run.stderr}`).toBe(0);
      }
      const { charter, signatures } = JSON.parse(readFileSync('day-run/charter.json', 'utf8'));
      expect(signatures).toHaveLength(2);
      expect(charter.admission.kind).toBe('open');
      expect(charter.pace.windows[1].opens).toBe('2027-01-02T00:00:00.000Z');
      const drafted = commands
        .find((command) => command.includes('--opens'))!
        .split(/\s+/)
        .slice(1);
      const changed = drafted.map((word) => word.replace('2027-', '2020-').replace('day-run', 'past'));
      const past = await hushrec(...changed);
      expect(past.stdout).toContain('closed at 2020-01-02T00:00:00.000Z, which is over');
      const parties = await hushrec(
        ...drafted.map((word) => word.replace('day-run', 'mixed')),
        ...['--party', 'site/identity.json'],
      );
      expect(parties.status).toBe(2);
      expect(parties.stderr).toContain('--opens and --window are for devices');
    } finally {
      process.chdir(before);
    }
  });

  it('invites visitors by the page, and shows a whole run of devices', { timeout: 120_000 }, async () => {
    const [serve, simulate, ...more] = commands.filter(isLater);
    expect(more).toEqual([]);
    const server = spawn(process.execPath, [program, ...serve!.split(/\s+/).slice(1), '--port', '0'], {
      cwd: place,
      env: environment,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    try {
      let said = '';
      for await (const line of createInterface({ input: server.stderr! })) {
        said += line;
        if (said.includes('Serving on')) break;
      }
      const [, url] = /Serving on (\S+)/.exec(said)!;
      const answer = await fetch(`${url}/take-part`);
      expect(answer.status, said).toBe(200);
    } finally {
      server.kill('SIGKILL');
    }
    const run = spawnSync(process.execPath, [program, ...simulate!.split(/\s+/).slice(1)], {
      cwd: place,
      env: environment,
      encoding: 'utf8',
    });
    expect(run.status, run.stderr).toBe(0);
    expect(run.stdout).toContain('among 12 devices');
  });
});

describe('roles that cannot start say why', () => {
  it('no identity, a foreign charter, other items', async () => {
    const missing = await hushrec(
      'federate',
      'aggregator',
      join(folder, 'nobody'),
      '--charter',
      join(folder, 'none.json'),
    );
    expect(missing.status, missing.stderr).toBe(2);
    expect(missing.stderr).toContain('hushrec federate identity');
    const west = join(folder, 'guide', 'west');
    const charter = join(west, 'run', 'charter.json');
    const asParty = await hushrec(
      'federate',
      'party',
      join(west, 'board'),
      '--charter',
      charter,
      '--ratings',
      data,
    );
    expect(asParty.status).toBe(4);
    expect(asParty.stderr).toContain('not one of its parties');
    const items = await hushrec(
      ...['federate', 'party', join(west, 'west'), '--charter', charter, '--ratings', data],
      ...['--trust', join(west, 'north', 'identity.json')],
    );
    expect(items.status).toBe(3);
    expect(items.stderr).toMatch(/--scale|not in the catalogue/);
    const asWest = [
      ...['federate', 'party', join(west, 'west'), '--charter', charter, '--scale', '1:5:1'],
      ...['--ratings', join(west, 'west-ratings.csv'), '--trust', join(west, 'north', 'identity.json')],
    ];
    for (const [now, fault] of [
      ['2099-01-01', 'the certificate of board has expired'],
      ['2001-01-01', 'the certificate of board is not valid yet'],
    ] as const) {
      vi.useFakeTimers({ toFake: ['Date'], now: new Date(now) });
      try {
        const other = await hushrec(...asWest);
        expect(other.status).toBe(4);
        expect(other.stderr, 'before anything is read or charged').toMatch(
          new RegExp(`^hushrec federate party: The charter is refused: ${fault}.*NTP`),
        );
      } finally {
        vi.useRealTimers();
      }
    }
    const changed = JSON.parse(readFileSync(charter, 'utf8'));
    changed.charter.plan.epsilon = 0.1;
    writeFileSync(charter, JSON.stringify(changed));
    const altered = await hushrec(...asWest);
    expect(altered.status).toBe(4);
    expect(altered.stderr).toContain('changed after it was signed');
  });
});
