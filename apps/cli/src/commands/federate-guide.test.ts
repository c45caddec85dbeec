// The guide docs/guides/federated.md, every command of it run as it is written: machines are folders, and
// what the guide leaves to people (cards and charters that are passed round) is done here.
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
import { MemoryFolder, openRun, type SignedCharter } from '@hushrec/federate';
import { tlsClient } from '@hushrec/federate/node';
import { createEngine, type Engine } from '@hushrec/numerics';
import { freePort } from '@hushrec/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { describeInChromium } from '../../../../tools/describe-in-chromium.mjs';
import { runCommand } from '../run-command.test.data.js';

const program = fileURLToPath(new URL('../../bin/hushrec.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'hushrec-federate-guide-'));
const environment = { ...process.env, HUSHREC_LEDGER: '' };
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A shell block of the guide: the machine it is for, and whether its command goes on running. */
interface Block {
  readonly machine: string;
  readonly runs: boolean;
  readonly commands: readonly string[];
}

const guide = readFileSync(new URL('../../../../docs/guides/federated.md', import.meta.url), 'utf8');
const blocksOf = (section: string): Block[] =>
  [...section.matchAll(/```sh\n# on (\w+)([^\n]*)\n([^`]*)```/g)].map(([, machine, rest, text]) => ({
    machine: machine!,
    runs: rest!.includes('keep running'),
    commands: text!.trim().split('\n'),
  }));
const [, ofParties, ofSite] = guide.split(/^(?=## Three parties|## A site with)/m);
const partyBlocks = blocksOf(ofParties!);
const siteBlocks = blocksOf(ofSite!);

it('no command of the guide is left out', () => {
  expect(guide.split('```sh\n').length - 1).toBe(partyBlocks.length + siteBlocks.length);
});

interface Ended {
  readonly code: number;
  readonly text: string;
  readonly errors: string;
}

/** A command that goes on running. */
interface Role {
  readonly command: string;
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** What it has said to people so far. */
  readonly said: () => string;
}

/** The machines of a guide: a folder each, addresses of this machine in place of theirs. */
class Machines {
  readonly #root: string;
  readonly #names: readonly string[];
  readonly #addresses = new Map<string, string>();
  readonly #running = new Set<ChildProcess>();

  constructor(root: string, names: readonly string[]) {
    this.#root = root;
    this.#names = names;
    for (const name of names) mkdirSync(this.at(name), { recursive: true });
  }

  at(machine: string, ...path: string[]): string {
    return join(this.#root, machine, ...path);
  }

  async address(...names: string[]): Promise<void> {
    for (const name of names)
      this.#addresses.set(name, name.includes(':') ? `127.0.0.1:${await freePort()}` : '127.0.0.1');
  }

  end(): void {
    for (const child of this.#running) child.kill('SIGKILL');
  }

  /** What the guide leaves to people: cards and charters are passed round. */
  passOn(from: string): void {
    for (const to of this.#names.filter((machine) => machine !== from))
      for (const name of readdirSync(this.at(from)))
        for (const file of ['identity.json', 'charter.json', 'catalogue.json'])
          if (existsSync(this.at(from, name, file)) && !existsSync(this.at(to, name, 'signing-key.pem'))) {
            mkdirSync(this.at(to, name), { recursive: true });
            copyFileSync(this.at(from, name, file), this.at(to, name, file));
          }
  }

  #addressed(command: string): string {
    return [...this.#addresses].reduce(
      (line, [from, to]) => line.replaceAll(`https://${from}`, `https://${to}`),
      command,
    );
  }

  /** In this process, which saves the start of another; what is for a shell goes to a shell. */
  async run(machine: string, command: string): Promise<Ended> {
    if (command.includes('*') || !command.startsWith('hushrec ')) return this.start(machine, command).ended;
    const before = process.cwd();
    process.chdir(this.at(machine));
    try {
      return await runCommand(...this.#addressed(command).split(/\s+/).slice(1));
    } finally {
      process.chdir(before);
    }
  }

  /** Waits for roles to end; the coordinator is told to when all others have. */
  async allEnd(roles: readonly Role[]): Promise<void> {
    const isCoordinator = ({ command }: Role) => / coordinator /.test(command);
    const good = ({ code, errors }: Ended) => expect(code, errors).toBe(0);
    for (const { ended } of roles.filter((role) => !isCoordinator(role))) good(await ended);
    for (const role of roles.filter(isCoordinator)) {
      await this.says(role, /^written/m);
      role.child.kill('SIGINT');
      good(await role.ended);
    }
  }

  /** Waits until a role has said so. */
  async says({ said, ended }: Role, words: RegExp): Promise<void> {
    const early = ended.then(({ errors }) => Promise.reject(new Error(errors)));
    early.catch(() => undefined);
    while (!words.test(said()))
      await Promise.race([new Promise((resolve) => setTimeout(resolve, 50)), early]);
  }

  start(machine: string, command: string): Role {
    let line = this.#addressed(command);
    // The guide's machines listen on all interfaces and wait a while for latecomers; here one interface will
    // do, and whoever keeps the log is told when all have read it.
    if (/ (aggregator|coordinator) /.test(line)) {
      const name = line.split(' ')[3];
      const { url } = JSON.parse(readFileSync(this.at(machine, name, 'identity.json'), 'utf8')) as {
        url: string;
      };
      line += ` --listen ${new URL(url).host}${line.includes('coordinator') ? ' --linger 86400' : ''}`;
    }
    const child = spawn('sh', ['-c', line.replace(/^hushrec/, `exec "${process.execPath}" "${program}"`)], {
      cwd: this.at(machine),
      env: {
        ...environment,
        ...(/ party /.test(line) && { HUSHREC_LEDGER: this.at(machine, 'ledger.sqlite') }),
      },
    });
    this.#running.add(child);
    let text = '';
    let errors = '';
    child.stdout!.on('data', (chunk) => (text += chunk));
    child.stderr!.on('data', (chunk) => (errors += chunk));
    const ended = new Promise<Ended>((resolve) =>
      child.on('close', (code) => {
        this.#running.delete(child);
        resolve({ code: code ?? -1, text, errors });
      }),
    );
    return { command, child, ended, said: () => errors };
  }

  /** `hushrec serve` as the guide says it, at a free port; its address. */
  async serve(machine: string, command: string): Promise<{ readonly url: string; stop(): void }> {
    const { child } = this.start(machine, `${command} --port 0`);
    let said = '';
    for await (const line of createInterface({ input: child.stderr! })) {
      said += `${line}\n`;
      const url = /Serving on (\S+)/.exec(said)?.[1];
      if (url !== undefined) return { url, stop: () => void child.kill('SIGKILL') };
    }
    throw new Error(said);
  }
}

const isServe = (command: string) => command.startsWith('hushrec serve');
const itemTable = `item,title\n${Array.from({ length: 20 }, (_, item) => `book-${item},Title ${item}`).join('\n')}\n`;

/** A visitor of the page: recommendations from the model before and after rating something. */
async function rateInPage(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByRole('link', { name: 'Try it on your taste' }).click();
  await page.waitForSelector('ol.ranking li', { timeout: 60_000 });
  const recommended = () => page.locator('ol.ranking .item-title').allTextContents();
  for (const title of await recommended()) expect(title).toMatch(/^Title \d+$/);
  const toRate = page.locator('ul[aria-label="Items to rate"] li');
  const rated = await toRate.first().locator('.item-title').textContent();
  await toRate.first().locator('label').last().click();
  await expect.poll(recommended, { timeout: 60_000 }).not.toContain(rated);
  expect(await recommended()).not.toEqual([]);
  expect(await page.locator('#request-count').textContent(), 'ratings stay in the browser').toBe('0');
}

describe('the guide for three parties, run as it is written', () => {
  const machines = new Machines(join(folder, 'guide'), ['north', 'south', 'west']);
  beforeAll(async () => {
    await machines.address('north.example:8441', 'south.example:8442', 'west.example:8443', 'west.example');
    for (const [index, machine] of ['north', 'south', 'west'].entries()) {
      writeFileSync(machines.at(machine, 'items.csv'), itemTable);
      const rows = Array.from({ length: 300 }, (_, row) => {
        const user = row % 30;
        const item = (user * 5 + Math.floor(row / 30) * 7 + index) % 20;
        return `reader${user},book-${item},${1 + ((user + item) % 5)}`;
      });
      writeFileSync(machines.at(machine, `${machine}-ratings.csv`), `user,item,rating\n${rows.join('\n')}\n`);
    }
    writeFileSync(machines.at('west', 'mine.csv'), 'book-1,5\nbook-2,1\n');
  });
  afterAll(() => machines.end());

  it('gives a model that verify recomputes from the log', { timeout: 300_000 }, async () => {
    expect(partyBlocks.filter(({ runs }) => runs)).toHaveLength(7);
    const kept: Role[] = [];
    for (const { machine, runs, commands } of partyBlocks) {
      if (!runs) await machines.allEnd(kept.splice(0));
      for (const command of commands.filter((each) => !isServe(each))) {
        // Ledgers are the machines' own and new.
        const line = / party /.test(command) ? `${command} --new-ledger` : command;
        if (runs) kept.push(machines.start(machine, line));
        else {
          const { code, text, errors } = await machines.run(machine, line);
          expect(code, `${command}\n${errors}`).toBe(0);
          if (command.startsWith('hushrec verify')) expect(text).toContain('recomputed without any ratings');
          if (command.startsWith('hushrec recommend')) expect(text).toContain('Title');
        }
      }
      machines.passOn(machine);
    }
    const certificate = readFileSync(machines.at('west', 'model', 'CERTIFICATE.md'), 'utf8');
    expect(certificate).toContain('at least 1 of these did what they signed: north, south');
  });

  describeInChromium('and then', (opened) => {
    it('the page recommends from it', { timeout: 120_000 }, async () => {
      const [{ machine, commands }] = partyBlocks.filter(({ commands }) => commands.some(isServe));
      const server = await machines.serve(machine, commands[0]);
      const page = await opened.browser.newPage();
      try {
        await rateInPage(page, server.url);
        await page.goto(`${server.url}/#/certificate`);
        await page.getByText(/at least 1 of these did what they signed: north, south/).waitFor();
      } finally {
        await page.close();
        server.stop();
      }
    });
  });

  it('a log that was touched is noticed', () => {
    const run = readdirSync(machines.at('west', 'board')).find((name) => name.startsWith('run-'))!;
    const file = machines.at('west', 'board', run, 'sums-2.words');
    const bytes = readFileSync(file);
    bytes[0] ^= 1;
    writeFileSync(file, bytes);
    const verify = spawnSync(process.execPath, [program, 'verify', 'model', '--log', join('board', run)], {
      cwd: machines.at('west'),
      encoding: 'utf8',
    });
    expect(verify.status).toBe(1);
    expect(verify.stdout).toContain('FAILED');
  });
});

describeInChromium('the guide for a site with a second operator, run as it is written', (opened) => {
  const machines = new Machines(join(folder, 'site'), ['site', 'trust']);
  const all = siteBlocks.flatMap(({ machine, runs, commands }) =>
    commands.map((command) => ({ machine, runs, command })),
  );
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ kernel: 'simd', threads: 1 });
    await machines.address('site.example:8444', 'site.example:8445', 'trust.example:8446');
    writeFileSync(machines.at('site', 'items.csv'), itemTable);
    const rows = Array.from(
      { length: 120 },
      (_, row) => `ann${row % 12},book-${(7 * row) % 20},${1 + (row % 5)}`,
    );
    writeFileSync(machines.at('site', 'ratings.csv'), `user,item,rating\n${rows.join('\n')}\n`);
  });
  afterAll(async () => {
    machines.end();
    await engine?.close();
  });

  const signedCharter = () =>
    JSON.parse(readFileSync(machines.at('site', 'day-run', 'charter.json'), 'utf8')) as SignedCharter;
  const opensIn = (command: string, name: string, opens: Date, seconds: number) =>
    command
      .replace('charter day-run', `charter ${name}`)
      .replace(/--opens \S+ --window \d+/, `--opens ${opens.toISOString()} --window ${seconds}`);

  it('gives a charter that both sign, with a window of a day for every exchange', async () => {
    const draft = all.find(({ command }) => command.includes('--opens'))!.command;
    for (const { machine, command } of all.filter(({ command }) => / identity /.test(command))) {
      const { code, errors } = await machines.run(machine, command);
      expect(code, `${command}\n${errors}`).toBe(0);
      machines.passOn(machine);
    }
    const named = draft.replace('charter day-run', 'charter as-written');
    expect((await machines.run('site', named)).code).toBe(0);
    const { charter } = JSON.parse(
      readFileSync(machines.at('site', 'as-written', 'charter.json'), 'utf8'),
    ) as SignedCharter;
    expect(charter.admission.kind).toBe('open');
    expect(charter.pace).toMatchObject({
      kind: 'windows',
      windows: expect.arrayContaining([
        { opens: '2027-01-02T00:00:00.000Z', closes: '2027-01-03T00:00:00.000Z' },
      ]),
    });
    const past = await machines.run('site', opensIn(draft, 'past', new Date('2020-01-01'), 86_400));
    expect(past.text).toContain('closed at 2020-01-02T00:00:00.000Z, which is over');
    const mixed = `${draft.replace('charter day-run', 'charter mixed')} --party site/identity.json`;
    const parties = await machines.run('site', mixed);
    expect(parties.code).toBe(2);
    expect(parties.errors).toContain('--opens and --window are for devices');
  });

  /** What a run of the guide leaves behind, for another one under the same names. */
  const forget = () => {
    machines.end();
    for (const machine of ['site', 'trust'])
      for (const name of ['day-run', 'models'])
        rmSync(machines.at(machine, name), { recursive: true, force: true });
    for (const name of readdirSync(machines.at('site', 'board')).filter((name) => name.startsWith('run-')))
      rmSync(machines.at('site', 'board', name), { recursive: true });
  };

  /** Windows of seconds in place of a day, and a method with few exchanges; all else as it is written. */
  const runOfDevices = async (seconds: number) => {
    const opens = new Date(Date.now() + 1000 * seconds);
    for (const { machine, command } of all.filter(({ command }) => / (charter|sign) /.test(command))) {
      const line = command.includes('--opens')
        ? `${opensIn(command, 'day-run', opens, seconds)} --method dpals --set rank=2 --set rounds=1`
        : command;
      const { code, errors } = await machines.run(machine, line);
      expect(code, `${line}\n${errors}`).toBe(0);
      machines.passOn(machine);
    }
    const { charter, signatures } = signedCharter();
    expect(signatures).toHaveLength(2);
    const roles = all.filter(({ runs, command }) => runs && / federate /.test(command));
    expect(roles).toHaveLength(3);
    const running = roles.map(({ machine, command }) => machines.start(machine, command));
    for (const role of running) await machines.says(role, /^listening/m);
    const [makeFolder, serving] = all.filter(({ command }) => /^mkdir|^hushrec serve/.test(command));
    expect((await machines.run('site', makeFolder.command)).code).toBe(0);
    const server = await machines.serve('site', serving.command);
    // The machines' own certificates stand for those of a proxy.
    const context = await opened.browser.newContext({ ignoreHTTPSErrors: true });
    const page = await context.newPage();
    try {
      await page.goto(`${server.url}/take-part`);
      await page.locator('#believed').getByText('trust', { exact: true }).click();
      await page.locator('#most').fill('100');
      await page.locator('#most').blur();
      await page.locator('#switch').check();
      const believed = [charter.coordinator, ...charter.aggregators].map(({ certificate }) => certificate!);
      const devices = [0, 1, 2].map(async (person) =>
        (await openRun(charter.coordinator.url, tlsClient({ believed }))).takePart({
          history: Array.from({ length: 8 }, (_, at) => ({
            id: `book-${(5 * person + 3 * at) % 20}`,
            rating: 1 + ((person + at) % 5),
          })),
          engine,
          folder: new MemoryFolder(),
          trusted: [charter.aggregators[1].publicKey],
          mostEpsilon: 100,
        }),
      );
      // A role that ends before its time says why; the others would only say that it does not answer.
      const early = running.map(async ({ ended }) => {
        const { code, text, errors } = await ended;
        return code === 0 ? new Promise<never>(() => {}) : Promise.reject(new Error(`${text}${errors}`));
      });
      for (const each of [...early, ...devices]) each.catch(() => undefined);
      for (const { handedIn, zerosBecause } of await Promise.race([Promise.all(devices), ...early])) {
        expect(zerosBecause).toBeUndefined();
        expect(handedIn).toBeGreaterThan(0);
      }
      await page.getByText(/^Done. Numbers were handed in at/).waitFor({ timeout: 300_000 });
      await machines.allEnd(running);
      const log = readdirSync(machines.at('site', 'board')).find((name) => name.startsWith('run-'))!;
      const verified = await machines.run('site', `hushrec verify models/day --log board/${log}`);
      expect(verified.code, verified.text).toBe(0);
      const visitor = await opened.browser.newPage();
      await rateInPage(visitor, server.url);
      await visitor.close();
    } finally {
      await context.close();
      server.stop();
    }
  };

  it('takes visitors of the page and other devices from the first window to a model that the page recommends from', {
    timeout: 900_000,
  }, async () => {
    // On a busy machine nobody may be there in time: then once more, with longer windows.
    for (const seconds of [5, 15, 40])
      try {
        return await runOfDevices(seconds);
      } catch (error) {
        if (seconds === 40 || !/fewer reports than the charter demands/.test(String(error))) throw error;
        forget();
      }
  });

  it('shows a whole run of devices', { timeout: 300_000 }, async () => {
    const [simulate, ...more] = all.filter(({ command }) => / simulate /.test(command));
    expect(more).toEqual([]);
    const run = await machines.start(simulate.machine, simulate.command).ended;
    expect(run.code, run.errors).toBe(0);
    expect(run.text).toContain('among 12 devices');
    const kinds = /^mkdir|^hushrec serve| (identity|charter|sign|aggregator|coordinator|simulate) /;
    expect(
      all.filter(({ command }) => !kinds.test(command)),
      'no command is left out',
    ).toEqual([]);
  });
});

async function hushrec(...args: string[]) {
  const { code, text, errors } = await runCommand(...args);
  return { status: code, stdout: text, stderr: errors };
}

describe('roles that cannot start say why', () => {
  const data = join(folder, 'data');
  beforeAll(async () => {
    const shape = ['--users', '60', '--items', '40', '--ratings', '900', '--seed', '1'];
    expect((await hushrec('generate', data, ...shape)).status).toBe(0);
  });

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
          new RegExp(`^hushrec federate party: The charter \\S+ is refused: ${fault}.*NTP`),
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
