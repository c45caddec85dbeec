import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Run } from './state/run.js';
import { startRun, startTestServer, type TestServer } from './testing/test-server.test.data.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ graceMs: 300 });
});
afterAll(() => server.close());

const request = (model: string) => ({ dataset: 'sample', method: 'als', settings: {}, model });
const start = async (model: string) => (await (await startRun(server.post, request(model))).json()) as Run;
const act = async (id: string, what: 'stop' | 'resume') =>
  (await server.asOperator(`/api/runs/${id}/${what}`, { method: 'POST' })).status;
const current = async (id: string) => (await (await server.ask(`/api/runs/${id}`)).json()) as Run;
const note = (name: string) => join(server.folder, 'models', name);

async function until(id: string, condition: (run: Run) => boolean): Promise<Run> {
  for (let attempt = 0; attempt < 400; attempt++) {
    const run = await current(id);
    if (condition(run)) return run;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`Waited in vain; the run is ${JSON.stringify(await current(id))}`);
}
const isTraining = (run: Run) => run.progress?.stage === 'training';
const ended = (run: Run) => run.status !== 'queued' && run.status !== 'running';

describe('a training run', () => {
  it('goes from queued to done in a process of its own, telling its progress as events', async () => {
    const run = await start('first');
    expect(run.status).toBe('queued');
    const events = await (await server.ask(`/api/runs/${run.id}/events`)).text();
    const states = [...events.matchAll(/^data: (.*)$/gm)].map((match) => JSON.parse(match[1]) as Run);
    expect(states.at(-1)!.status).toBe('done');
    expect(states.some(isTraining)).toBe(true);
    expect((await current(run.id)).result).toMatchObject({ method: 'als', model: 'first' });
  });

  it('is measured afterwards when asked, for operators only', async () => {
    const response = await startRun(server.post, { ...request('measured'), evaluate: true });
    const { id } = (await response.json()) as Run;
    expect((await until(id, ended)).quality).toBeNull();
    const asOperator = (await (await server.asOperator(`/api/runs/${id}`)).json()) as Run;
    expect(asOperator.quality).toMatchObject({ protocol: 'holdout', metrics: { rmse: { value: 0.9 } } });
  });

  it('is published only where enough titles stand out, if that was asked, and by an operator otherwise', async () => {
    const guarded = { ...request('x'), method: 'dpals', epsilon: 1, delta: 1e-6 };
    const publishing = async (model: string, publishFrom: number) => {
      const answer = await startRun(server.post, { ...guarded, model, publishFrom });
      return until(((await answer.json()) as Run).id, ended);
    };
    expect(await publishing('enough', 30)).toMatchObject({ status: 'done', published: true });
    expect(existsSync(note('enough'))).toBe(true);
    const held = await publishing('too-few', 31);
    expect(held).toMatchObject({ status: 'done', published: false });
    expect(existsSync(note('too-few'))).toBe(false);
    // Its name is taken, nobody can fetch it, and only an operator publishes it.
    expect((await startRun(server.post, { ...guarded, model: 'too-few' })).status).toBe(409);
    expect((await server.ask('/models/too-few/certificate.json')).status).toBe(404);
    expect((await server.ask('/models/.held/certificate.json')).status).toBe(404);
    const path = `/api/runs/${held.id}/publish`;
    expect((await server.ask(path, { method: 'POST' })).status).toBe(403);
    const answer = await server.asOperator(path, { method: 'POST' });
    expect(await answer.json()).toMatchObject({ published: true });
    expect(existsSync(note('too-few'))).toBe(true);
    expect((await server.asOperator(path, { method: 'POST' })).status).toBe(409);
  });

  it('is refused for a taken name, an unknown data set or method, and settings the method does not have', async () => {
    const status = async (body: object) => (await startRun(server.post, body)).status;
    expect(await status(request('sample-eps-1'))).toBe(409);
    expect(await status({ ...request('x'), dataset: 'other' })).toBe(404);
    expect(await status({ ...request('x'), method: 'no-such' })).toBe(400);
    expect(await status({ ...request('x'), settings: { nonsense: '1' } })).toBe(400);
    expect(await status(request('../x'))).toBe(400);
    expect(await status({ ...request('x'), epsilon: 1, delta: 1e-6 })).toBe(400);
  });

  // @door serve: plan-hash
  it('is refused where its plan is not the one that was shown, before anything is queued', async () => {
    const shown = { ...request('promised'), method: 'dpals', epsilon: 1, delta: 1e-6 };
    const planned = async (body: object) =>
      ((await (await server.post('/api/plans', body)).json()) as { hash: string }).hash;
    const plan = await planned(shown);
    expect(plan).toMatch(/^[0-9a-f]{64}$/);
    expect(await planned(shown)).toBe(plan);
    const others: [object, string][] = [
      [{ epsilon: 8 }, 'epsilon: shown 1, asked for 8'],
      [{ delta: 1e-5 }, 'delta: shown 0.000001, asked for 0.00001'],
      [{ settings: { rank: 3 } }, 'rank: shown none, asked for 3'],
      [{ liked: 4 }, 'liked: shown none, asked for 4'],
      [{ method: 'hush' }, 'method: shown dpals, asked for hush'],
      [{ model: 'another' }, 'model: shown promised, asked for another'],
    ];
    for (const [change, why] of others) {
      const answer = await server.post('/api/runs', { ...shown, ...change, plan });
      expect(answer.status, why).toBe(409);
      expect(await answer.text()).toContain(why);
      expect(await planned({ ...shown, ...change })).not.toBe(plan);
    }
    const unknown = await server.post('/api/runs', { ...shown, plan: 'f'.repeat(64) });
    expect(unknown.status).toBe(409);
    expect(await unknown.text()).toContain('has shown no plan with this hash');
    // None at all is no way around it.
    expect((await server.post('/api/runs', shown)).status).toBe(400);
    for (const name of ['promised', 'another']) expect(existsSync(note(`${name}.starts`)), name).toBe(false);
    const { runs } = (await (await server.asOperator('/api/runs')).json()) as { runs: Run[] };
    expect(runs.filter(({ request }) => ['promised', 'another'].includes(request.model))).toEqual([]);
    const started = (await (await server.post('/api/runs', { ...shown, plan })).json()) as Run;
    // The record keeps it for operators, and the training process gets it.
    expect((await until(started.id, ended)).request.plan).toBeUndefined();
    const asOperator = (await (await server.asOperator(`/api/runs/${started.id}`)).json()) as Run;
    expect(asOperator).toMatchObject({ request: { plan }, result: { plan } });
  });

  it('is refused by another account or another shape of the data than was shown', async () => {
    const manifest = join(server.folder, 'data', 'sample', 'dataset.json');
    const before = readFileSync(manifest, 'utf8');
    const shown = { ...request('moved'), method: 'dpals', epsilon: 1, delta: 1e-6 };
    const { hash } = (await (await server.post('/api/plans', shown)).json()) as { hash: string };
    try {
      for (const change of [{ account: { id: '9'.repeat(32), name: 'sample' } }, { items: 41 }]) {
        writeFileSync(manifest, JSON.stringify({ ...JSON.parse(before), ...change }));
        const answer = await server.post('/api/runs', { ...shown, plan: hash });
        expect(answer.status).toBe(409);
        expect(await answer.text()).toContain('The data set or this server has changed');
      }
      // Other ratings of the same people are no other plan: no hash tells of them.
      writeFileSync(
        manifest,
        JSON.stringify({ ...JSON.parse(before), people: 1235, ratings: 56_790, contentHash: '0'.repeat(64) }),
      );
      expect(((await (await server.post('/api/plans', shown)).json()) as { hash: string }).hash).toBe(hash);
    } finally {
      writeFileSync(manifest, before);
    }
  });

  it('waits for its turn and can be stopped while waiting', async () => {
    const first = await start('a');
    const second = await start('b');
    expect(await act(second.id, 'stop')).toBe(202);
    expect((await until(first.id, ended)).status).toBe('done');
    expect((await current(second.id)).status).toBe('stopped');
    expect(existsSync(note('b.starts'))).toBe(false);
  });

  it('cleans up when stopped, and goes on when resumed', async () => {
    const { id } = await start('slow-1');
    await until(id, isTraining);
    expect(await act(id, 'resume')).toBe(409);
    expect((await startRun(server.post, request('slow-1'))).status).toBe(409);
    expect(await act(id, 'stop')).toBe(202);
    expect((await until(id, ended)).status).toBe('stopped');
    expect(existsSync(note('slow-1.cleaned'))).toBe(true);
    expect(await act(id, 'resume')).toBe(202);
    expect((await until(id, ended)).status).toBe('done');
    expect(readFileSync(note('slow-1.starts'), 'utf8')).toBe('start\nresume\n');
    expect(await act(id, 'stop')).toBe(409);
  });

  it('is killed when it does not stop in time', async () => {
    const { id } = await start('stubborn-1');
    await until(id, isTraining);
    await act(id, 'stop');
    expect((await until(id, ended)).status).toBe('stopped');
  });

  it('fails with what the command line said, to operators, without places on this machine', async () => {
    const asOperator = async (id: string) =>
      (await (await server.asOperator(`/api/runs/${id}`)).json()) as Run;
    const failed = await until((await start('failing-1')).id, ended);
    expect(failed).toMatchObject({ status: 'failed', error: expect.stringContaining('Operators') });
    expect((await asOperator(failed.id)).error).toBe('hushrec train: failing-1 exists.');
    const crashed = await until((await start('crashing-1')).id, ended);
    expect(crashed.status).toBe('failed');
    expect((await asOperator(crashed.id)).error).toMatch(/exit code/);
  });
});

describe('a preview', () => {
  it('states the guarantee without reading a rating', async () => {
    const plan = async (body: object) =>
      (await (
        await server.post('/api/plans', { dataset: 'sample', model: 'x', settings: {}, ...body })
      ).json()) as {
        epsilon: number | null;
        unit: string;
        words: string[];
        releases: { noise: number }[];
      };
    const guarded = await plan({ method: 'dpals', epsilon: 1, delta: 1e-6 });
    expect(guarded).toMatchObject({ epsilon: 1, unit: 'user' });
    expect(guarded.words.join(' ')).toContain('one person with all of her data');
    expect(guarded.releases.every(({ noise }) => noise > 0)).toBe(true);
    const open = await plan({ method: 'als' });
    expect(open.epsilon).toBeNull();
    expect(open.words[0]).toContain('No privacy');
  });

  it('is of likes where they are asked for, and refused where none could be left', async () => {
    const plan = (body: object) =>
      server.post('/api/plans', {
        dataset: 'sample',
        model: 'x',
        settings: {},
        epsilon: 1,
        delta: 1e-6,
        ...body,
      });
    const settings = async (body: object) =>
      ((await (await plan(body)).json()) as { settings: Record<string, unknown> }).settings;
    expect(await settings({ method: 'hush' })).toMatchObject({ feedback: 'implicit' });
    expect(await settings({ method: 'hush', goal: 'stars' })).toMatchObject({ feedback: 'explicit' });
    expect(await settings({ method: 'hush', liked: 4 })).toMatchObject({ feedback: 'implicit' });
    for (const [body, why] of [
      [{ method: 'hush', liked: 6 }, 'Likes from 6 on would leave nothing'],
      [{ method: 'dpmf', liked: 4 }, 'predicts ratings'],
    ] as const) {
      const answer = await plan(body);
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain(why);
    }
  });
});

describe('accounting', () => {
  it('is refused when it takes too long, and works again afterwards', async () => {
    const hurried = await startTestServer({ limits: { accountingMs: 1 } });
    try {
      const body = { dataset: 'sample', model: 'x', method: 'dp-sgd', epsilon: 1, delta: 1e-6, settings: {} };
      const answer = await hurried.post('/api/plans', body);
      expect(answer.status).toBe(503);
      expect(await answer.text()).toContain('takes too long');
      expect((await hurried.ask('/healthz')).status).toBe(200);
    } finally {
      await hurried.close();
    }
  });
});

describe('shutting down', () => {
  it('ends event streams and runs, which can be resumed', async () => {
    const other = await startTestServer();
    const run = (await (await startRun(other.post, request('slow-2'))).json()) as Run;
    const events = await other.ask(`/api/runs/${run.id}/events`);
    const text = events.text();
    await new Promise((resolve) => setTimeout(resolve, 400));
    await other.close();
    expect(await text).toContain('"status":"running"');
  });
});

describe('under a grant', () => {
  it('a run without a finite cost is refused, unless it is to be written down', async () => {
    const other = await startTestServer();
    try {
      const plan = async () =>
        (
          (await (await other.post('/api/plans', request('bare'))).json()) as {
            isUnprotected: boolean;
          }
        ).isUnprotected;
      expect(await plan()).toBe(false);
      await other.post('/api/ledger/sample/grant', { epsilon: 3, note: 'the council agreed' });
      expect(await plan()).toBe(true);
      const refused = await startRun(other.post, request('bare'));
      expect(refused.status).toBe(409);
      expect(await refused.text()).toContain('recordUnprotected');
      const told = await startRun(other.post, { ...request('bare'), recordUnprotected: true });
      expect(told.status).toBe(201);
    } finally {
      await other.close();
    }
  });
});
