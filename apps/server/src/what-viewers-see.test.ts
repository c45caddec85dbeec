import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger } from '@hushrec/ledger';
import type { CertificateStatement } from '@hushrec/model';
import { writeMetrics } from '@hushrec/model/folder';
import { createEngine, type Engine } from '@hushrec/numerics';
import { type RatingMatrix, writeDataset } from '@hushrec/ratings';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  cases as all,
  answered,
  explicit,
  neighboursOf,
  planned,
  publish,
  runOfCase,
  runOn,
  statementOf,
} from '../../../packages/train/src/neighbouring-runs.test.data.js';
import { countingMethod } from '../../../packages/train/src/replay/leaky-method.test.data.js';
import { type RunningServer, startServer } from './start-server.js';
import { openRunStore } from './state/open-run-store.js';
import { writeLargeModel } from './testing/sample-models.test.data.js';

/**
 * Two servers, one on data and one on the data without one person (or rating): models answered from the same
 * releases, same clock and ids, and beside them what differs between the two: the data set, metrics, a
 * comparison, runs that took longer or failed otherwise.
 */
interface Side {
  readonly folder: string;
  readonly log: string[];
  server: RunningServer;
}

/**
 * The usual method, and one for each unit: folders of all methods are compared where they are made
 * (`packages/train/src/neighbours.test.ts`), and answers are made from folders. All of them here too:
 * HUSHREC_ALL_METHODS=1.
 */
const isWhole = process.env['HUSHREC_ALL_METHODS'] === '1';
const cases = isWhole
  ? all
  : all.filter(
      ([method, , unit], at) =>
        method === 'hush' || all.findIndex((each) => each[2] === unit && each[0] !== 'hush') === at,
    );
let engine: Engine;
let base: string;
let sides: readonly Side[];
/** Models that tell of the data: what looks for differences must find them. */
const planted = ['planted', 'planted-certificate'];
/** A model without privacy: as private as the ratings. */
const open = 'without-privacy';
/** A model whose noise anyone can take away. */
const simulated = 'from-a-seed';
const clock = new Date('2026-01-01T00:00:00Z');
/** Published later on one side: training took longer. */
const laterBy = (which: number) => new Date(clock.getTime() + 2345 * which);
const account = { id: 'a'.repeat(32), name: 'shop' };
const nameOf = (each: readonly unknown[]) => each.filter(Boolean).join('-');
const runId = (k: number) => `00000000-0000-4000-8000-00000000000${k}`;

/** What is there besides models; `which` changes everything that may follow the ratings. */
async function furnish(folder: string, which: number, data: RatingMatrix, ids: readonly string[]) {
  const { times: _, ...ratings } = data;
  await writeDataset(
    join(folder, 'data', 'shop'),
    {
      name: 'shop',
      ratings,
      userIds: ids,
      itemIds: Array.from({ length: ratings.itemCount }, (_, item) => `item ${item}`),
      itemTitles: Array.from({ length: ratings.itemCount }, () => ''),
      features: [],
      provenance: {},
    },
    { account },
  );
  mkdirSync(join(folder, 'reports', 'sweep'), { recursive: true });
  writeFileSync(
    join(folder, 'reports', 'sweep', 'comparison.json'),
    JSON.stringify({
      title: 'On private ratings',
      rows: [{ method: 'hush', metric: 'rmse', mean: 0.9 + which }],
    }),
  );
  writeFileSync(
    join(folder, 'reports', 'sweep', 'report.html'),
    `<p>${ratings.byUser.values.length} ratings`,
  );
  const store = await openRunStore(join(folder, 'state.sqlite'));
  const planned = { dataset: 'shop', method: 'hush', epsilon: 1, delta: 1e-6, settings: {}, model: 'm' };
  // Of the features of items that were rated.
  const request = { ...planned, plan: `${which}`.repeat(64) };
  const run = {
    request,
    startedBy: `operator ${which}`,
    published: true,
    createdAt: laterBy(which).toISOString(),
    startedAt: clock.toISOString(),
    endedAt: new Date(clock.getTime() + 1000 * (1 + which)).toISOString(),
    progress: {
      stage: 'rounds',
      done: 2,
      total: 2,
      live: { releases: ['people', 'item-counts'], seconds: [0.1 + which, 0.3 + which] },
    },
  };
  await store.put({
    ...run,
    id: runId(1),
    status: 'done',
    result: { model: 'm', epsilon: 1, seconds: 1 + which },
    quality: { rmse: 0.9 + which },
    error: null,
  });
  await store.put({
    ...run,
    id: runId(2),
    status: 'failed',
    result: null,
    quality: null,
    error: `There are ${ratings.userCount} people.`,
  });
  await store.close();
}

beforeAll(
  async () => {
    engine = await createEngine({ kernel: 'simd', threads: 1 });
    base = mkdtempSync(join(tmpdir(), 'hushrec-viewers-'));
    const ledger = await openLedger(join(base, 'ledger.sqlite'), { create: true });
    await ledger.grant(account.id, {
      epsilon: 5,
      delta: 1e-5,
      protection: { unit: 'user', relation: 'add-remove' },
    });
    const receipt = await ledger.spend({
      account: account.id,
      jobKey: 'job',
      method: 'hush',
      protection: { unit: 'user', relation: 'add-remove' },
      charge: { kind: 'event', event: { kind: 'gaussian', sensitivity: 1, noise: 4 } },
    });
    await ledger.close();
    const folders = ['with', 'without'].map((name) => join(base, name));
    for (const folder of folders) mkdirSync(join(folder, 'models'), { recursive: true });
    const everyone = Array.from({ length: explicit.userCount }, (_, user) => `person ${user}`);
    // Each side's certificate is made from that side's run; `extra` is planted in it.
    const publishBoth = async (
      name: string,
      { run, ratings }: ReturnType<typeof runOfCase>,
      extra: (data: RatingMatrix) => Partial<CertificateStatement> = () => ({}),
    ) => {
      const first = await runOn(engine, run, ratings);
      const [other, names] = neighboursOf(ratings, run).at(-1)!;
      const again = await answered(engine, run, other, names, first.log);
      const made = [
        [first, ratings],
        [again, other],
      ] as const;
      for (const [which, [each, data]] of made.entries()) {
        const directory = join(folders[which], 'models', name);
        const statement = { ...statementOf(run, each), ...extra(data) };
        await publish(directory, run, each, statement);
        if (statement.epsilon !== null) await writeMetrics(directory, { rmse: 0.9 + which });
        const ended = laterBy(which);
        for (const file of readdirSync(directory)) utimesSync(join(directory, file), ended, ended);
      }
    };
    const [other, names] = neighboursOf(explicit, runOfCase(cases[0]).run)[0];
    await furnish(folders[0], 0, explicit, everyone);
    await furnish(folders[1], 1, other, names);
    for (const each of cases) await publishBoth(nameOf(each), runOfCase(each));
    await publishBoth(simulated, runOfCase(cases[0]), () => ({ simulation: true, ledgerEntry: null }));
    for (const [which, folder] of folders.entries()) {
      await writeLargeModel(join(folder, 'models', open), 10 + which);
      await writeMetrics(join(folder, 'models', open), { rmse: 0.8 + which });
    }
    const leaky = planned(countingMethod('exact count in a fact'), explicit, { rounds: 1 });
    await publishBoth('planted', { run: leaky, ratings: explicit });
    const tight = planned(countingMethod('nothing'), explicit, { rounds: 1 });
    await publishBoth('planted-certificate', { run: tight, ratings: explicit }, ({ byUser }) => ({
      tuning: `On ${byUser.values.length} ratings.`,
    }));
    sides = await Promise.all(
      folders.map(async (folder, which) => {
        const log: string[] = [];
        cpSync(join(base, 'ledger.sqlite'), join(folder, 'ledger.sqlite'));
        // The same run took longer on one side.
        await new Promise((done) => setTimeout(done, 20 * which));
        const own = await openLedger(join(folder, 'ledger.sqlite'));
        await own.complete(account.id, receipt);
        await own.close();
        const server = await startServer({
          models: join(folder, 'models'),
          data: join(folder, 'data'),
          reports: join(folder, 'reports'),
          state: join(folder, 'state.sqlite'),
          ledger: join(folder, 'ledger.sqlite'),
          port: 0,
          writeLog: (text) => log.push(text),
          limits: { requests: { burst: 1e6, perSecond: 1e6 } },
        });
        return { folder, log, server };
      }),
    );
  },
  isWhole ? 3_600_000 : 300_000,
);
afterAll(async () => {
  for (const { server } of sides ?? []) await server.close();
  await engine.close();
  rmSync(base, { recursive: true, force: true });
});

/** An answer without what names the server itself: its date and its port. */
async function answer({ server }: Side, path: string, role: 'viewer' | 'operator' = 'viewer') {
  const headers = role === 'operator' ? { authorization: `Bearer ${server.operatorToken}` } : {};
  const response = await fetch(server.url + path, { headers });
  const bytes = Buffer.from(await response.arrayBuffer()).toString('base64');
  const shown = [...response.headers].filter(([name]) => !['date', 'keep-alive'].includes(name));
  return { status: response.status, headers: shown, bytes };
}
const both = (path: string, role?: 'operator') => Promise.all(sides.map((side) => answer(side, path, role)));

/** Every file of a model's folder, also those that viewers do not get. */
const filesOf = (model: string) => readdirSync(join(sides[0].folder, 'models', model));

/**
 * Every path that can be read, from the server's own description, besides those that go on for ever or tell
 * of the machine.
 */
async function readablePaths(): Promise<string[]> {
  const description = (await (await fetch(`${sides[0].server.url}/api/openapi.json`)).json()) as {
    paths: Record<string, { get?: object }>;
  };
  const models = readdirSync(join(sides[0].folder, 'models')).filter(
    (name) => !planted.includes(name) && !name.endsWith('.json'),
  );
  return [
    ...Object.entries(description.paths)
      .filter(([path, { get }]) => get !== undefined && !path.endsWith('/events') && path !== '/metrics')
      .flatMap(([path]) =>
        path.includes('{model}')
          ? models.map((model) => path.replace('{model}', model))
          : path.includes('{run}')
            ? [1, 2].map((k) => path.replace('{run}', runId(k)))
            : [path],
      ),
    ...models.flatMap((model) => filesOf(model).map((file) => `/models/${model}/${file}`)),
    ...[1, 2].map((k) => `/api/runs/${runId(k)}/events`),
    '/reports/sweep',
    '/api/datasets',
    '/metrics',
    '/',
    '/api/whoami',
  ];
}

it('answers viewers byte for byte the same with a person and without, for every unit', async () => {
  const paths = (await readablePaths()).filter((path) => path !== '/api/models');
  expect(paths.length).toBeGreaterThan(5 * cases.length);
  const statuses = new Map<number, number>();
  for (const path of paths) {
    const [one, other] = await both(path);
    expect(other, path).toEqual(one);
    statuses.set(one.status, (statuses.get(one.status) ?? 0) + 1);
  }
  expect(statuses.get(200)).toBeGreaterThan(5 * cases.length);
  // The list holds the planted ones too.
  const lists = await Promise.all(
    sides.map(async ({ server }) => {
      const { models } = (await (await fetch(`${server.url}/api/models`)).json()) as {
        models: { id: string }[];
      };
      return models.filter(({ id }) => !planted.includes(id));
    }),
  );
  expect(lists[1]).toEqual(lists[0]);
  // Those without a proved ε are for operators.
  const proved = cases.map(nameOf).filter((name) => {
    const file = join(sides[0].folder, 'models', name, 'certificate.json');
    return (JSON.parse(readFileSync(file, 'utf8')) as { epsilon: number | null }).epsilon !== null;
  });
  expect(proved.length).toBeGreaterThan(4);
  expect(lists[0].map(({ id }) => id).sort()).toEqual(proved.sort());
});

it.each([open, simulated])(
  'does not tell viewers that there is a model %s, and gives no file',
  async (name) => {
    const paths = [
      ...filesOf(name).map((file) => `/models/${name}/${file}`),
      ...['', '/certificate', '/items'].map((what) => `/api/models/${name}${what}`),
    ];
    expect(paths).toContain(`/models/${name}/metrics.json`);
    for (const path of paths) {
      const statuses = [await answer(sides[0], path), await answer(sides[0], path, 'operator')];
      expect(
        statuses.map(({ status }) => status),
        path,
      ).toEqual([404, 200]);
    }
    expect((await answer(sides[0], '/metrics')).status).toBe(403);
  },
);

it('plants a count in the certificate and nowhere else', async () => {
  const differing = await Promise.all(
    filesOf('planted-certificate').map(async (file) => {
      const [one, other] = await both(`/models/planted-certificate/${file}`);
      return one.bytes === other.bytes ? [] : [file];
    }),
  );
  expect(differing.flat().sort()).toEqual(['CERTIFICATE.md', 'certificate.json']);
});

it('writes the same log, but for times', async () => {
  const paths = await readablePaths();
  await new Promise((done) => setTimeout(done, 200));
  for (const side of sides) side.log.length = 0;
  for (const path of paths) await both(path);
  await new Promise((done) => setTimeout(done, 200));
  const [one, other] = sides.map(({ log }) => log.join('').replace(/"time":"[^"]*"|"ms":[\d.]+/g, ''));
  expect(one.split('\n').length).toBeGreaterThan(cases.length);
  expect(other).toBe(one);
});

it.each([
  ['a planted exact count', '/models/planted/model.json', undefined],
  ['an exact count that a method passes on', '/models/planted/certificate.json', undefined],
  ['an exact count in the certificate alone', '/models/planted-certificate/certificate.json', undefined],
  ['an exact count in the certificate alone', '/models/planted-certificate/CERTIFICATE.md', undefined],
  ['an exact count in the certificate alone', '/api/models/planted-certificate', undefined],
  ['a planted exact count', '/api/models/planted', undefined],
  ['the data set', '/api/datasets', 'operator'],
  ['metrics', `/api/models/${nameOf(cases[0])}`, 'operator'],
  ['a model without privacy', `/models/${open}/item-factors.safetensors`, 'operator'],
  ['when a model was published', `/api/models/${nameOf(cases[0])}`, 'operator'],
  ['when a run ended', '/api/ledger', 'operator'],
  ['how long a run took', `/api/runs/${runId(1)}`, 'operator'],
  ['why a run failed', `/api/runs/${runId(2)}`, 'operator'],
  ['a comparison', '/api/comparisons', 'operator'],
  ['a report', '/reports/sweep', 'operator'],
] as const)('would notice %s: %s', async (_, path, role) => {
  const [one, other] = await both(path, role);
  expect(one.status).toBe(200);
  expect(other.bytes).not.toBe(one.bytes);
});
