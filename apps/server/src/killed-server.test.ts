import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { whyNoPostgres } from '@hushrec/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Run } from './state/run.js';
import { freshDatabase } from './testing/fresh-database.test.data.js';
import { writeSampleDataset, writeUsefulModel } from './testing/sample-models.test.data.js';
import { writeScriptedCommandLine } from './testing/scripted-command-line.test.data.js';
import { startRun } from './testing/test-server.test.data.js';

/** The built server: a process to be killed cannot run TypeScript. */
const program = fileURLToPath(new URL('../dist/testing/serve-forever.test.data.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'hushrec-killed-'));
mkdirSync(join(folder, 'models'));
writeSampleDataset(join(folder, 'data'));
writeScriptedCommandLine(folder);
const whyNot = whyNoPostgres();
let postgres: Awaited<ReturnType<typeof freshDatabase>> | undefined;
let child: ChildProcess | undefined;
beforeAll(async () => {
  await writeUsefulModel(join(folder, 'whole'));
  if (whyNot === undefined) postgres = await freshDatabase();
});
afterEach(() => child?.kill('SIGKILL'));
afterAll(async () => {
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Makes what follows process 1 of a namespace of its own, as in a container. */
const asProcessOne = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--kill-child=KILL'];
const whyNoNamespace =
  spawnSync(asProcessOne[0], [...asProcessOne.slice(1), 'true']).status === 0
    ? undefined
    : 'this system does not let us make a process namespace (unshare)';

async function serve(
  state: string,
  prefix: readonly string[] = [],
): Promise<(path: string, body?: unknown) => Promise<Response>> {
  const [command, ...args] = [...prefix, process.execPath, program, folder, state];
  child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout! })) {
    const { url, token } = JSON.parse(line) as { url: string; token: string };
    return (path, body) =>
      fetch(url + path, {
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      });
  }
  throw new Error('The server ended before it answered.');
}

async function kill(): Promise<void> {
  const ended = new Promise((resolve) => child!.once('exit', resolve));
  child!.kill('SIGKILL');
  await ended;
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const places: [string, string | undefined, () => string][] = [
  ['SQLite', undefined, () => join(folder, 'state.db')],
  ['PostgreSQL', whyNot, () => postgres!.url],
];

describe.each(places)('a server killed with SIGKILL, state in %s', (name, skipReason, place) => {
  if (skipReason !== undefined) {
    it.skip(`${name}: ${skipReason}`, () => {});
    return;
  }

  it('finds its run interrupted, has no orphan training on, and can resume', async () => {
    const model = `slow-${name}`;
    let ask = await serve(place());
    const run = (await (
      await startRun(ask, { dataset: 'sample', method: 'als', settings: {}, model })
    ).json()) as Run;
    const state = async () => (await (await ask(`/api/runs/${run.id}`)).json()) as Run;
    while ((await state()).progress?.stage !== 'training') await pause(25);
    await kill();

    ask = await serve(place());
    expect(await state()).toMatchObject({ status: 'interrupted', request: { model } });
    const trainer = Number(readFileSync(join(folder, 'models', `${model}.pid`), 'utf8'));
    for (let k = 0; k < 100 && isAlive(trainer); k++) await pause(50);
    expect(isAlive(trainer)).toBe(false);

    expect((await ask(`/api/runs/${run.id}/resume`, {})).status).toBe(202);
    while (['queued', 'running'].includes((await state()).status)) await pause(25);
    expect((await state()).status).toBe('done');
    expect(readFileSync(join(folder, 'models', `${model}.starts`), 'utf8')).toBe('start\nresume\n');
  });

  // Held back until enough titles stand out, which 30 do: `parting-…` kills the server between the end of
  // training and the move of the model to its place, `judged-…` after the move, while quality is measured.
  it.each([
    ['parting', 30, true],
    ['parting', 31, false],
    ['judged', 30, true],
  ] as const)(
    'goes on with a run whose training had ended: %s, published from %i titles on',
    async (when, publishFrom, published) => {
      const model = `${when}-${publishFrom}-${name}`;
      let ask = await serve(place());
      const killed = new Promise((resolve) => child!.once('exit', resolve));
      const body = { dataset: 'sample', method: 'dpals', epsilon: 1, delta: 1e-6, settings: {} };
      const run = (await (
        await startRun(ask, { ...body, model, publishFrom, evaluate: true })
      ).json()) as Run;
      await killed;
      const [held, out] = [join(folder, 'models', '.held', model), join(folder, 'models', model)];
      expect([existsSync(held), existsSync(out)]).toEqual([when === 'parting', when === 'judged']);

      ask = await serve(place());
      const state = async () => (await (await ask(`/api/runs/${run.id}`)).json()) as Run;
      expect(await state()).toMatchObject({ status: 'interrupted', published: null });
      expect((await ask(`/api/runs/${run.id}/resume`, {})).status).toBe(202);
      while (['queued', 'running'].includes((await state()).status)) await pause(25);
      expect(await state()).toMatchObject({
        status: 'done',
        error: null,
        published,
        result: { usefulness: { itemsAboveNoise: 30 } },
        quality: { protocol: 'holdout' },
      });
      expect([existsSync(held), existsSync(out)]).toEqual([!published, published]);
      if (!published) expect((await ask(`/api/runs/${run.id}/publish`, {})).status).toBe(200);
      expect(existsSync(out)).toBe(true);
    },
  );

  it('fails a resumed run where the model is not its own', async () => {
    const model = `parting-other-${name}`;
    let ask = await serve(place());
    const killed = new Promise((resolve) => child!.once('exit', resolve));
    const body = { dataset: 'sample', method: 'als', settings: {}, model, publishFrom: 1 };
    const run = (await (await startRun(ask, body)).json()) as Run;
    await killed;
    ask = await serve(place());
    expect((await ask(`/api/runs/${run.id}/resume`, {})).status).toBe(202);
    const state = async () => (await (await ask(`/api/runs/${run.id}`)).json()) as Run;
    while (['queued', 'running'].includes((await state()).status)) await pause(25);
    expect(await state()).toMatchObject({ status: 'failed', error: expect.stringContaining('exists') });
  });

  it('loses no run that it had acknowledged, wherever in its writing it is killed', async () => {
    const acknowledged: string[] = [];
    for (let round = 0; round < 2; round++) {
      const ask = await serve(place());
      const writing = (async () => {
        for (let k = 0; ; k++) {
          const body = {
            dataset: 'sample',
            method: 'als',
            settings: {},
            model: `slow-${name}-${round}-${k}`,
          };
          const response = await startRun(ask, body);
          if (response.status === 201) acknowledged.push(((await response.json()) as Run).id);
          else if (response.status === 429) await pause(50);
        }
      })().catch(() => {});
      const before = acknowledged.length;
      while (acknowledged.length < before + 3 + round) await pause(5);
      await kill();
      await writing;
    }
    const ask = await serve(place());
    const { runs } = (await (await ask('/api/runs?limit=500')).json()) as { runs: Run[] };
    const known = new Map(runs.map((each) => [each.id, each.status]));
    for (const id of acknowledged) expect(known.get(id)).toBe('interrupted');
  });

  it.skipIf(whyNoNamespace)(
    `starts again after being killed as process 1${whyNoNamespace === undefined ? '' : ` (${whyNoNamespace})`}`,
    async () => {
      for (let round = 0; round < 2; round++) {
        const ask = await serve(place(), asProcessOne);
        expect((await ask('/healthz')).status).toBe(200);
        await kill();
      }
    },
  );

  it('refuses a second server on the same state', async () => {
    await serve(place());
    const second = spawn(process.execPath, [program, folder, place()], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let message = '';
    second.stderr.on('data', (text) => (message += text));
    expect(await new Promise((resolve) => second.once('exit', resolve))).not.toBe(0);
    expect(message).toContain('Another server uses');
  });
});
