import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exportSigningKey, generateSigningKey, type SigningKey } from '@hushrec/model/signing';
import { createEngine } from '@hushrec/numerics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Board } from './board.js';
import { toHex } from './bytes.js';
import { chargedRuns } from './contributor-record.js';
import { type Cast, Reaper, runWithCrash } from './crashes.test.data.js';
import { checkerboard, dealt } from './equality.test.data.js';
import type { KillRun } from './killed-role.test.data.js';
import { FileFolder } from './node/file-folder.js';
import { freePorts } from './node/free-ports.js';
import { smallCharter } from './small-charter.test.data.js';

/** `npm run kills` makes 300. */
const kills = Number(process.env['HUSHREC_KILLS'] ?? 20);
const program = fileURLToPath(new URL('../dist/killed-role.test.data.js', import.meta.url));
const shape = { people: 12, items: 6, perUser: 4, parties: 2 };
const hows = ['before', 'after', 'half-way'];

let cast: Cast;
let coordinatorKey: SigningKey;
let undisturbed: Awaited<ReturnType<typeof runWithCrash>>;
const children = new Set<ChildProcess>();
beforeAll(async () => {
  expect(existsSync(program), 'build first: npm run build').toBe(true);
  const knowledge = { engine: await createEngine({ kernel: 'simd', threads: 1 }) };
  const keys = [await generateSigningKey(), await generateSigningKey()];
  coordinatorKey = await generateSigningKey();
  const ratings = checkerboard(shape.people, shape.items, shape.perUser);
  const signed = await smallCharter([...keys, coordinatorKey], knowledge, {
    settings: { rounds: 2, rank: 2 },
    catalogue: { itemCount: shape.items, scale: ratings.scale, hash: '' },
    mostPeople: shape.people,
    leastReports: shape.parties,
    pace: { kind: 'reports', count: shape.parties, longestSeconds: 600 },
  });
  cast = { signed, keys, shares: dealt(ratings, shape.parties), knowledge };
  undisturbed = await runWithCrash(cast, new Reaper());
});
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

let struck = 0;
let state = 7;
const random = (below: number) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};

/**
 * Lives of one role, one after the other, until one ends by itself or `over` says that it is needed no more.
 */
async function live(file: string, role: string, index: number, over: Promise<unknown>): Promise<void> {
  let isOver = false;
  void over.then(() => (isOver = true));
  for (;;) {
    const sentence = struck < kills ? [String(random(6)), hows[random(3)]] : [];
    const child = spawn(process.execPath, [program, file, role, String(index), ...sentence], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    children.add(child);
    let errors = '';
    child.stderr.on('data', (text) => (errors += text));
    void over.then(() => child.kill('SIGTERM'));
    const { code, signal } = await new Promise<{ code: number | null; signal: string | null }>((resolve) =>
      child.once('close', (code, signal) => resolve({ code, signal })),
    );
    children.delete(child);
    if (isOver || code === 0) return;
    if (signal !== 'SIGKILL') throw new Error(`${role} ${index} ended with ${code}: ${errors}`);
    struck++;
  }
}

/** A whole run among processes. Gives what it left behind. */
async function runAmongProcesses(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hushrec-federated-kills-'));
  try {
    const run: KillRun = {
      folder,
      signed: cast.signed,
      keys: await Promise.all([...cast.keys, coordinatorKey].map(exportSigningKey)),
      ports: await freePorts(3),
      ...shape,
    };
    const file = join(folder, 'run.json');
    writeFileSync(file, JSON.stringify(run));
    let finish = () => {};
    const over = new Promise<void>((resolve) => (finish = resolve));
    const servants = [
      live(file, 'aggregator', 0, over),
      live(file, 'aggregator', 1, over),
      live(file, 'coordinator', 0, over),
    ];
    const parties = Array.from({ length: shape.parties }, (_, at) =>
      live(file, 'party', at, new Promise(() => {})),
    );
    await Promise.race([Promise.all(parties), Promise.all(servants)]);
    finish();
    await Promise.all(servants);

    const board = await Board.open(new FileFolder(join(folder, 'coordinator-0')));
    const sums = await Promise.all(
      undisturbed.sums.map(async (_, exchange) => toHex((await board.peek(exchange))!.sums)),
    );
    expect(sums, 'the sums of a run that nobody disturbed').toEqual(undisturbed.sums);
    const published = readFileSync(join(folder, 'published.txt'), 'utf8').trim().split('\n');
    const exchanges = cast.signed.charter.exchanges.length;
    expect(new Set(published).size, 'one publication an exchange and aggregator').toBe(2 * exchanges);
    for (let at = 0; at < shape.parties; at++) {
      const kept = new FileFolder(join(folder, `party-${at}`));
      expect((await chargedRuns(kept)).map(({ charter }) => charter)).toEqual([cast.signed.hash]);
      const { itemFactors } = undisturbed.models[at] as { itemFactors: Float32Array };
      expect(await kept.read('model')).toEqual(new Uint8Array(itemFactors.buffer.slice(0)));
    }
    if (existsSync(join(folder, 'kills.txt')))
      for (const place of readFileSync(join(folder, 'kills.txt'), 'utf8').trim().split('\n'))
        places.set(place, (places.get(place) ?? 0) + 1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const places = new Map<string, number>();

// @door federate party: kills
// @door federate aggregator: kills
describe('processes of a federated run that are killed with SIGKILL at every kind of step', () => {
  it(`${kills} kills: the same sums and models, one publication an exchange, charged once and first`, {
    timeout: 600_000 + 10_000 * kills,
  }, async () => {
    for (let run = 0; struck < kills && run < kills; run++) await runAmongProcesses();
    expect(struck).toBeGreaterThanOrEqual(kills);
    const byRole = new Map<string, number>();
    for (const [place, count] of places) {
      const role = place.split(' ')[0];
      byRole.set(role, (byRole.get(role) ?? 0) + count);
    }
    console.log(
      `${struck} kills at ${places.size} different places: ${[...byRole].map(([role, count]) => `${role} ${count}`).join(', ')}`,
    );
    expect([...byRole.keys()].sort()).toEqual(['aggregator', 'coordinator', 'party']);
  });
});
