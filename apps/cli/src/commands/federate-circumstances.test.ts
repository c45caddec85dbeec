// Roles of a federated run as processes over TLS, on a machine that is not there and on one whose disk is
// full.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { freePort } from '@hushrec/testing';
import { afterAll, expect, it } from 'vitest';
import { runCommand } from '../run-command.test.data.js';

const program = fileURLToPath(new URL('../../bin/hushrec.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'hushrec-circumstances-'));
const at = (...path: string[]) => join(folder, ...path);
const running = new Set<ChildProcess>();
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Loaded before a program: its disk has no room as long as a file named `full` is there. */
const fullDisk = `
import { existsSync } from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
const { open } = files;
files.open = async (...given) => {
  const file = await open(...given);
  const { writeFile } = file;
  file.writeFile = async (...bytes) => {
    if (existsSync(process.env.FULL)) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    return writeFile.apply(file, bytes);
  };
  return file;
};
syncBuiltinESMExports();
`;

interface Ended {
  readonly code: number;
  readonly text: string;
  readonly errors: string;
}

function start(args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [program, 'federate', ...args], {
    cwd: folder,
    env: { ...process.env, HUSHREC_LEDGER: at(`${args[1]}.sqlite`), ...more },
  });
  running.add(child);
  let text = '';
  let errors = '';
  child.stdout.on('data', (chunk) => (text += chunk));
  child.stderr.on('data', (chunk) => (errors += chunk));
  const ended = new Promise<Ended>((resolve) =>
    child.once('close', (code) => {
      running.delete(child);
      resolve({ code: code ?? -1, text, errors });
    }),
  );
  /** Waits until it has said so. */
  const says = async (words: RegExp) => {
    const over = ended.then(({ errors }) =>
      Promise.reject(new Error(`it ended without ${words}: ${errors}`)),
    );
    over.catch(() => undefined);
    while (!words.test(errors)) await Promise.race([new Promise((resolve) => setTimeout(resolve, 50)), over]);
  };
  return { ended, says, said: () => errors };
}

async function hushrec(...args: string[]): Promise<string> {
  const { code, text, errors } = await runCommand(...args);
  expect(code, `hushrec ${args.join(' ')}\n${errors}`).toBe(0);
  return text;
}

it('an aggregator that does not answer and one whose disk is full: told once each, and then nothing is lost and nothing is double', {
  timeout: 600_000,
}, async () => {
  const items = Array.from({ length: 8 }, (_, item) => `book-${item}`);
  writeFileSync(at('items.csv'), `item\n${items.join('\n')}\n`);
  for (const [index, party] of ['a', 'b'].entries()) {
    const rows = Array.from(
      { length: 40 },
      (_, row) => `r${row % 10},${items[(row * 3 + index) % 8]},${1 + (row % 5)}`,
    );
    writeFileSync(at(`${party}.csv`), `user,item,rating\n${rows.join('\n')}\n`);
  }
  const hosts = new Map<string, string>();
  for (const name of ['board', 'north', 'south', 'a', 'b']) {
    hosts.set(name, `127.0.0.1:${await freePort()}`);
    await hushrec(
      ...['federate', 'identity', at(name), '--name', name, '--url', `https://${hosts.get(name)}`],
    );
  }
  const card = (name: string) => at(name, 'identity.json');
  await hushrec(
    ...['federate', 'charter', at('run'), '--catalogue', at('items.csv'), '--scale', '1:5:1'],
    ...['--method', 'dpals', '--set', 'rank=2', '--set', 'rounds=1', '--epsilon', '20', '--people', '100'],
    ...['--coordinator', card('board'), '--aggregator', card('north'), '--aggregator', card('south')],
    ...['--party', card('a'), '--party', card('b')],
  );
  const charter = ['--charter', at('run', 'charter.json')];
  for (const name of ['north', 'south'])
    await hushrec('federate', 'sign', charter[1], '--identity', at(name));

  const full = at('full');
  writeFileSync(at('full-disk.mjs'), fullDisk);
  const aggregator = (name: string, more?: Readonly<Record<string, string>>) =>
    start(['aggregator', name, ...charter, '--listen', hosts.get(name)!], more);
  const north = aggregator('north', {
    FULL: full,
    NODE_OPTIONS: `--import=${pathToFileURL(at('full-disk.mjs')).href}`,
  });
  await north.says(/listening/);
  writeFileSync(full, '');
  const coordinator = start([
    ...['coordinator', 'board', ...charter, '--listen', hosts.get('board')!],
    ...['--out', 'model', '--linger', '86400'],
  ]);
  const party = (name: string) =>
    start([
      ...[
        'party',
        name,
        ...charter,
        '--ratings',
        `${name}.csv`,
        '--scale',
        '1:5:1',
        '--trust',
        card('north'),
      ],
      ...['--new-ledger', '--json', '--log-json'],
    ]);
  const parties = ['a', 'b'].map(party);
  const noAnswer = /south \(https:\/\/\S+\) does not answer \(.*ECONNREFUSED.*\); it is asked again/;
  for (const each of parties) await each.says(noAnswer);
  const south = aggregator('south');
  await north.says(/the disk is full: what came was not taken and is asked for again\. Make room/);
  rmSync(full);
  const took = await Promise.all(parties.map(({ ended }) => ended));
  for (const { code, text, errors } of took) {
    expect(code, errors).toBe(0);
    expect(JSON.parse(text)).toMatchObject({ handedIn: 3, missed: 0 });
    expect(errors.match(new RegExp(noAnswer, 'g')), 'told once').toHaveLength(1);
    // Every line is one of JSON, and none is about people.
    const told = errors
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(new Set(told.flatMap((line) => Object.keys(line)))).toEqual(
      new Set(['time', 'event', 'text', 'reason', 'exchange']),
    );
  }
  for (const { ended } of [north, south]) expect((await ended).code).toBe(0);
  await coordinator.says(/written/);

  // Once more: everything is in, and paid for.
  const again = await party('a').ended;
  expect(again.code, again.errors).toBe(0);
  expect(again.errors).toContain('Paid for before: nothing is charged again.');
  expect(JSON.parse(again.text)).toMatchObject({ handedIn: 0, missed: 3, bytesSent: 0 });
  const log = at('board', readdirSync(at('board')).find((name) => name.startsWith('run-'))!);
  expect(await hushrec('verify', at('model'), '--log', log)).toContain('recomputed without any ratings');
});
