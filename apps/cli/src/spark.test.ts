import '@hushrec/papers/register';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readNodeArchive, readSparkAddress, SparkConnection, SparkPeople } from '@hushrec/cluster';
import { methodById, methods, planRun, type ReleasedPart } from '@hushrec/factorize';
import { readModelFolder } from '@hushrec/model/folder';
import { createEngine, type Engine } from '@hushrec/numerics';
import { peopleCoins, RunSecret } from '@hushrec/privacy';
import { type RatingMatrix, SeededRandom } from '@hushrec/ratings';
import { LocalPeople, type People } from '@hushrec/statistics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sparkHome } from '../../../packages/cluster/src/spark-cluster.test.data.js';
import { watchReleases } from '../../../packages/factorize/src/watch-releases.js';
import {
  canary,
  canaryRating,
  catalogue,
  explicit,
  implicit,
  itemIds,
  notRatedBy,
  personIds,
} from './spark-ratings.test.data.js';
import { SparkStage, token } from './spark-stage.test.data.js';
import { hushrec, spends, started } from './started-command.test.data.js';
import { placesOf } from './where-methods-run.js';

const spark = sparkHome();
const reason = 'missing' in spark ? ` (skipped: ${spark.missing})` : '';
let stage: SparkStage;
let engine: Engine;

const here = (ratings: RatingMatrix) => new LocalPeople(ratings, engine, { ids: personIds });

/** Everything that a run on these people asks the recorder for, with its noise, and its model. */
async function run(
  id: string,
  settings: Readonly<Record<string, unknown>>,
  people: People,
  signal?: AbortSignal,
) {
  const method = methodById(id);
  const { itemCount } = people;
  const { features } = catalogue;
  const target = { epsilon: 8, delta: 1e-6, seed: 5 };
  const plan = planRun({ method, settings, itemCount, scale: people.scale, features, ...target });
  const random = new SeededRandom(5);
  const parts: ReleasedPart[] = [];
  const recorder = watchReleases(plan.recorder, (part) => parts.push(structuredClone(part)));
  const { line } = peopleCoins(new RunSecret({ seed: 5 }));
  const { model } = await method.train({
    ...{ features, settings: plan.settings, engine, recorder, people, coins: { line } },
    random: () => random.uniform(),
    ...(signal && { signal }),
  });
  return { parts, model, record: recorder.finish() };
}

/** The same people, with something done before and during the n-th sum. */
function disturbed(people: People, during: Readonly<Record<number, () => Promise<void>>>): People {
  let sums = 0;
  return {
    itemCount: people.itemCount,
    scale: people.scale,
    async sum(...asked) {
      const disturbance = during[++sums]?.();
      const found = await people.sum(...asked);
      await disturbance;
      return found;
    },
  };
}

const cases: readonly (readonly [string, Readonly<Record<string, unknown>>, 'ratings' | 'choices'])[] = [
  ['hush', { rank: 3, rounds: 2 }, 'ratings'],
  ['hush', { rank: 3, rounds: 2 }, 'choices'],
  ['dpals', { contribution: 'uniform', contributionLimit: 5, counts: 'sampled' }, 'ratings'],
  ['dp-cmf', {}, 'ratings'],
  ['am-ssp', { samplingRate: 0.5 }, 'ratings'],
  ['am-dpsgd', { rounds: 2, samplingRate: 0.5 }, 'ratings'],
  ['dp-sgd', { rounds: 3 }, 'ratings'],
  ['dp-svd', {}, 'ratings'],
  ['dp-fw', { rounds: 3 }, 'ratings'],
];

it('the methods tried on a cluster are those of which a table says so', () => {
  const tried = methods.filter((method) => placesOf(method).cluster === 'yes').map(({ id }) => id);
  expect([...new Set(cases.map(([id]) => id))].sort()).toEqual(tried.sort());
});

describe.skipIf('missing' in spark)(`people on a Spark cluster${reason}`, { timeout: 600_000 }, () => {
  beforeAll(async () => {
    if ('missing' in spark) return;
    stage = new SparkStage(spark.home);
    engine = await createEngine({ threads: 1, kernel: 'simd' });
    await stage.start();
  }, 600_000);

  afterAll(async () => {
    await engine?.close();
    await stage?.stop();
  });

  // @door train: neighbours
  it.each(cases)('%s %o of %s: the same requests, releases and model as here', async (id, settings, of) => {
    const expected = await run(id, settings, here(of === 'ratings' ? explicit : implicit));
    expect(expected.parts.length).toBeGreaterThan(id === 'dp-svd' ? 0 : 2);
    expect(await run(id, settings, stage.people(of))).toEqual(expected);
  });

  it.each([cases[1], cases[2]])('%s %o of %s: the same with reducers', async (id, settings, of) => {
    const expected = await run(id, settings, here(of === 'ratings' ? explicit : implicit));
    expect(await run(id, settings, stage.peopleWithReducers(of))).toEqual(expected);
  });

  it('differs where one person is left out', async () => {
    const settings = { rank: 3, rounds: 1 };
    const expected = await run('hush', settings, here(explicit));
    expect(await run('hush', settings, stage.people('without one'))).not.toEqual(expected);
  });

  it('is the same after an executor, a worker and a machine were killed', async () => {
    const settings = { rank: 3, rounds: 2 };
    const expected = await run('hush', settings, here(explicit));
    // Reducers lose what a killed executor had shuffled for them.
    const people = disturbed(stage.peopleWithReducers('ratings'), {
      1: () => stage.killOne('CoarseGrainedExecutorBackend'),
      3: () => stage.killOne('hushrec-worker'),
      5: async () => {
        stage.slow();
        await sleep(1000);
        await stage.cluster.kill('worker-1');
        stage.fast();
        stage.cluster.startWorker(1);
      },
    });
    expect(await run('hush', settings, people)).toEqual(expected);
    await stage.noWorkers();
  });

  it('is the same where a slow copy of a task is overtaken by another', async () => {
    const settings = { vectors: false };
    const expected = await run('hush', settings, here(explicit));
    const people = disturbed(stage.people('ratings'), {
      1: async () => {
        writeFileSync(join(stage.folder, 'straggler'), '');
        const onFirst = () =>
          stage.cluster
            .processes('hushrec-worker')
            .some((id) => readlinkSync(`/proc/${id}/cwd`).includes('/work-0/'));
        await expect.poll(onFirst).toBe(true);
        await sleep(500);
        rmSync(join(stage.folder, 'straggler'), { force: true });
      },
    });
    expect(await run('hush', settings, people)).toEqual(expected);
    // It still sleeps, so another copy did its work.
    const stragglers = stage.cluster.processes('hushrec-worker');
    expect(stragglers.length).toBeGreaterThan(0);
    for (const id of stragglers) process.kill(id, 'SIGKILL');
  });

  it('is the same when the Connect server is started anew in the middle', async () => {
    const settings = { vectors: false };
    const expected = await run('hush', settings, here(explicit));
    const people = disturbed(stage.people('ratings'), {
      2: async () => {
        stage.slow();
        await sleep(1500);
        await stage.cluster.kill('connect');
        stage.fast();
        await stage.cluster.startConnect();
      },
    });
    expect(await run('hush', settings, people)).toEqual(expected);
  });

  it('is the same for two runs at once, each with a session of its own', async () => {
    const settings = { vectors: false };
    const expected = await run('hush', settings, here(explicit));
    const other = await stage.open();
    const both = await Promise.all([
      run('hush', settings, stage.people('ratings')),
      run('hush', settings, stage.people('ratings', other)),
    ]);
    await other.close();
    expect(both).toEqual([expected, expected]);
  });

  it('refuses a wrong token, another Node, and blocks that were changed, without a value in the message', async () => {
    const address = readSparkAddress(`sc://127.0.0.1:${stage.cluster.port}/;token=wrong`);
    await expect(SparkConnection.open({ address })).rejects.toThrow('does not accept this token');
    const right = readSparkAddress(`sc://127.0.0.1:${stage.cluster.port}`, token);
    const other = join(stage.folder, 'other-node');
    writeFileSync(other, `#!/bin/sh\ncat > /dev/null\nprintf '18.20.4\\tsimd\\t\\n'\n`, { mode: 0o755 });
    await expect(SparkConnection.open({ address: right, node: other })).rejects.toThrow(
      /Executors have Node 18\.20\.4, and this process has/,
    );
    const { blocks, manifest } = stage.stored.get('ratings')!;
    // People are dealt out evenly enough that none of eight files is without any.
    const files = readdirSync(stage.stored.get('without one')!.blocks).filter((name) =>
      name.endsWith('.parquet'),
    );
    expect(files).toHaveLength(8);
    const people = new SparkPeople({
      connection: stage.connection,
      blocks,
      manifest: { ...manifest, blocks: [...manifest.blocks.slice(1), 'f'.repeat(32)] },
    });
    await expect(run('hush', {}, people)).rejects.toThrow('not one of those that were prepared');
    const missing = { ...manifest, blocks: [...manifest.blocks, 'f'.repeat(32)] };
    await expect(
      run('hush', {}, new SparkPeople({ connection: stage.connection, blocks, manifest: missing })),
    ).rejects.toThrow(/1 of \d+ blocks of people are missing/);
    const bad = await stage.source('bad', 'someone,item\t1,3.14159\n');
    await expect(stage.prepare('bad', bad, 1)).rejects.toThrow(/^1 rows have no user/);
    await stage.noWorkers();
  });

  it('stops when it is cancelled, and leaves no worker', async () => {
    const stop = new AbortController();
    stage.slow();
    const waiting = run('hush', {}, stage.people('ratings'), stop.signal);
    const cancelled = expect(waiting).rejects.toThrow(/abort/i);
    await expect.poll(() => stage.cluster.processes('hushrec-worker').length).toBeGreaterThan(0);
    stop.abort();
    await cancelled;
    stage.fast();
    await stage.noWorkers();
  });

  // @door train: charge, kills
  it('is imported, trained, killed and resumed by commands, and paid for once', async () => {
    const data = join(stage.folder, 'shop');
    const out = join(stage.folder, 'model');
    const ledger = join(stage.folder, 'ledger.sqlite');
    const where = [
      '--engine',
      `sc://127.0.0.1:${stage.cluster.port}`,
      '--node',
      join(stage.folder, 'node'),
      '--ledger',
      ledger,
    ];
    const columns = [
      '--columns',
      'person,thing,stars',
      '--scale',
      '0:5:0.0625',
      '--storage',
      join(stage.folder, 'storage'),
    ];
    const imported = await command(
      'import',
      join(stage.folder, 'everyone'),
      data,
      ...columns,
      ...where,
      '--new-ledger',
      '--json',
    );
    expect(imported.code, imported.errors).toBe(0);
    expect(JSON.parse(imported.text)).toMatchObject({ people: 300, ratings: explicit.byUser.indices.length });
    expect(imported.errors).toContain('authenticated and encrypted');
    // People are not here, and a method that needs them all is told so before anything is charged.
    const withoutEngine = await command('train', data, '--epsilon', '1', '--ledger', ledger, '--out', out);
    expect(withoutEngine.errors).toContain('its people are on a cluster');
    const needy = await command(
      'train',
      data,
      '--method',
      'private-sgd',
      '--epsilon',
      '1',
      ...where,
      '--out',
      out,
    );
    expect(needy.errors).toContain('must see all ratings in one process');
    expect(await spends(ledger)).toBe(0);

    const train = [
      'train',
      data,
      '--epsilon',
      '1',
      '--set',
      'vectors=false',
      ...where,
      '--out',
      out,
      '--json',
    ];
    const killed = command(...train);
    await expect.poll(() => spends(ledger)).toBe(1);
    killed.child.kill('SIGKILL');
    await killed;
    expect(existsSync(out)).toBe(false);
    const resumed = await command(...train, '--resume');
    expect(resumed.code, resumed.errors).toBe(0);
    expect(resumed.errors).toContain('Paid for before');
    expect(await spends(ledger)).toBe(1);
    expect((await readModelFolder(out)).certificate).toMatchObject({ unit: 'user', simulation: false });
    expect((await command('verify', out)).code).toBe(0);

    const test = join(stage.folder, 'later.csv');
    const later = [1, 2, 5].map((person) => `${personIds[person]},"${itemIds[notRatedBy(person)]}",4`);
    writeFileSync(test, ['person,thing,stars', ...later, `nobody,"${itemIds[0]}",2`, ''].join('\n'));
    const engine = where.slice(0, 4);
    const evaluated = await command(
      'evaluate',
      out,
      data,
      '--test',
      test,
      '--columns',
      'person,thing,stars',
      '--scale',
      '0:5:0.0625',
      ...engine,
      '--json',
    );
    expect(evaluated.code, evaluated.errors).toBe(0);
    expect(evaluated.errors).toContain('3 of 4 people');
    await stage.noWorkers();

    // Straight from Parquet: prepared once, and found again.
    const straight = [
      'train',
      join(stage.folder, 'everyone'),
      ...columns,
      ...where,
      '--epsilon',
      '1',
      '--seed',
      '1',
    ];
    const settings = ['--set', 'vectors=false', '--out', join(stage.folder, 'straight'), '--overwrite'];
    const first = await command(...straight, ...settings);
    expect(first.code, first.errors).toBe(0);
    expect(first.errors).toContain('in everyone.hushrec: 5,000 ratings of 300 people in');
    const second = await command(...straight, ...settings);
    expect(second.code, second.errors).toBe(0);
    expect(second.errors).toContain('prepared before and unchanged');

    // Without noise two commands show the same bytes, there and here.
    const local = join(stage.folder, 'local');
    const importedHere = await command(
      ...['import', join(stage.folder, 'everyone'), local, '--columns', 'person,thing,stars'],
      ...['--scale', '0:5:0.0625', '--ledger', ledger, '--account', 'shop'],
    );
    expect(importedHere.code, importedHere.errors).toBe(0);
    const factors: Buffer[] = [];
    for (const [folder, ...engine] of [
      ['everyone.hushrec', ...where],
      [local, '--ledger', ledger],
    ]) {
      const without = ['--epsilon', 'inf', '--seed', '7', '--set', 'rounds=1', '--out', out, '--overwrite'];
      const trained = await command('train', folder, ...engine, ...without);
      expect(trained.code, trained.errors).toBe(0);
      factors.push(readFileSync(join(out, 'item-factors.safetensors')));
    }
    expect(factors[0].equals(factors[1])).toBe(true);
  });

  it('is the same with a Node that was sent to executors', async () => {
    const settings = { vectors: false };
    const expected = await run('hush', settings, here(explicit));
    const address = readSparkAddress(`sc://127.0.0.1:${stage.cluster.port}`, token);
    const sent = await SparkConnection.open({ address, nodeArchive: await readNodeArchive('auto') });
    expect(await run('hush', settings, stage.people('ratings', sent))).toEqual(expected);
    await sent.close();
    const nothing = { folder: 'hushrec-node-0', ending: '.tar', bytes: new Uint8Array(10_240) };
    await expect(SparkConnection.open({ address, nodeArchive: nothing })).rejects.toThrow(
      'Executors could not run bin/node of the archive',
    );
  });

  it('runs the commands of the guide as they stand there, but for addresses', async () => {
    const shop = join(stage.folder, 'guide');
    mkdirSync(join(shop, 'bin'), { recursive: true });
    const script = `#!/bin/sh\nexec "${process.execPath}" "${hushrec}" "$@"\n`;
    writeFileSync(join(shop, 'bin', 'hushrec'), script, { mode: 0o755 });
    const rating = (user: number, item: number) => `u${user},i${item},${1 + ((3 * user + item) % 5)}`;
    const rows = Array.from({ length: 1200 }, (_, at) =>
      rating(at % 100, (7 * at + Math.floor(at / 100)) % 40),
    );
    await stage.source('guide/ratings.parquet', `${rows.join('\n')}\n`, ['user', 'item', 'rating']);
    const later = Array.from({ length: 50 }, (_, user) => rating(user, 39));
    writeFileSync(join(shop, 'later-ratings.csv'), `user,item,rating\n${later.join('\n')}\n`);

    const guide = readFileSync(new URL('../../../docs/cluster.md', import.meta.url), 'utf8');
    const block = /^```sh\n(.*?)^```$/ms.exec(guide)![1];
    const commands = block.split('\n').filter((line) => line.startsWith('hushrec '));
    expect(commands.length).toBeGreaterThan(3);
    for (const line of commands) {
      const here = line
        .replaceAll(/'sc:[^']*'/g, `sc://127.0.0.1:${stage.cluster.port}`)
        .replaceAll('s3a://shop/', `${shop}/`);
      const { code, errors } = await started('sh', ['-c', here], shop, {
        PATH: `${join(shop, 'bin')}:${process.env['PATH']}`,
        XDG_STATE_HOME: join(shop, 'state'),
        HUSHREC_SPARK_TOKEN: token,
      });
      expect(code, `${line}\n${errors}`).toBe(0);
    }
    expect((await readModelFolder(join(shop, 'model'))).certificate.unit).toBe('user');
  });

  it('left no value of anyone in a log or a folder of work', () => {
    const traces = [
      '3.14159',
      canary,
      Buffer.from(canary).toString('base64').slice(0, 16),
      String(canaryRating),
    ];
    const found = (folders: readonly string[]) =>
      folders.flatMap(filesIn).filter((file) => {
        const bytes = readFileSync(file);
        return traces.some((trace) => bytes.includes(trace));
      });
    const all = filesIn(stage.cluster.folder);
    expect(all.length).toBeGreaterThan(5);
    expect(found([stage.cluster.folder])).toEqual([]);
    // The control that must be found.
    const planted = join(stage.folder, 'planted');
    mkdirSync(planted);
    writeFileSync(join(planted, 'log'), `The value '${canaryRating}' of the type "STRING" cannot be cast`);
    expect(found([planted])).toHaveLength(1);
  });
});

function filesIn(place: string): string[] {
  return readdirSync(place, { recursive: true, encoding: 'utf8' })
    .map((name) => join(place, name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true);
}

/** Runs the command line in a process of its own. */
const command = (...args: readonly string[]) =>
  started(process.execPath, [hushrec, ...args], stage.folder, { HUSHREC_SPARK_TOKEN: token });
