// The guide docs/guides/federated.md, every command for parties run as it is written: machines are folders,
// and what the guide leaves to people (cards and charters that are passed round) is done here.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { describeInChromium } from '../../../../tools/describe-in-chromium.mjs';
import { runCommand } from '../run-command.test.data.js';
import { hushrec as program } from '../started-command.test.data.js';
import {
  guide,
  isServe,
  itemTable,
  Machines,
  partyBlocks,
  partyRequest,
  type Role,
  rateInPage,
  siteBlocks,
} from './federate-machines.test.data.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-federate-guide-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('no command of the guide is left out', () => {
  expect(guide.split('```sh\n').length - 1).toBe(partyBlocks.length + siteBlocks.length);
});

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
    const { machine, file, fields } = partyRequest;
    writeFileSync(machines.at(machine, file), JSON.stringify(fields));
    writeFileSync(machines.at('west', 'mine.csv'), 'book-1,5\nbook-2,1\n');
  });
  afterAll(() => machines.end());

  it('gives a model that verify recomputes from the log', async () => {
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
    for (const machine of ['north', 'south', 'west']) {
      const data = machines.at(machine, `${machine}-ratings.hushrec`);
      const ledger = ['--ledger', machines.at(machine, 'ledger.sqlite')];
      const { json } = await runCommand('ledger', 'show', data, ...ledger, '--delta', '1e-6', '--json');
      expect(json, 'charged whole, and ended').toMatchObject({ runs: 1, unfinishedRuns: 0 });
      expect(json.spent[0].epsilon).toBeCloseTo(5, 6);
    }
  });

  describeInChromium('and then', (opened) => {
    it('the page recommends from it', async () => {
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

async function hushrec(...args: string[]) {
  const { code, text, errors } = await runCommand(...args);
  return { status: code, stdout: text, stderr: errors };
}

describe('roles that cannot start say why', () => {
  const data = join(folder, 'data');
  beforeAll(async () => {
    const shape = ['--people', '60', '--items', '40', '--ratings', '900', '--seed', '1'];
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
      ...['federate', 'party', join(west, 'west'), '--charter', charter],
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
