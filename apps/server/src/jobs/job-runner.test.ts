import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { hasEnded, type Run } from '../state/run.js';
import type { RunStore } from '../state/run-store.js';
import { writeScriptedCommandLine } from '../testing/scripted-command-line.test.data.js';
import { startCommand } from './command-process.js';
import { JobRunner } from './job-runner.js';

let folder: string;
let runs: Map<string, Run>;
/** Asked before each write; throws where the disk is to fail. */
let write: (run: Run) => void;
let errors: Error[];
let runner: JobRunner;

const store: RunStore = {
  kind: 'sqlite',
  put: async (run) => {
    write(run);
    runs.set(run.id, run);
  },
  get: async (id) => runs.get(id),
  list: async () => [...runs.values()],
  unfinished: async () => [...runs.values()].filter((run) => !hasEnded(run)),
  close: async () => {},
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hushrec-jobs-'));
  mkdirSync(join(folder, 'models'));
  runs = new Map();
  write = () => {};
  errors = [];
  runner = new JobRunner({
    store,
    commandLine: writeScriptedCommandLine(folder),
    concurrent: 1,
    graceMs: 2000,
    datasetPath: (name) => join(folder, name),
    modelPath: (name) => join(folder, 'models', name),
    heldPath: (name) => join(folder, 'models', '.held', name),
    onError: (error) => errors.push(error),
  });
});
afterEach(async () => {
  await runner.close();
  rmSync(folder, { recursive: true, force: true });
});

const request = (model: string) => ({ dataset: 'sample', method: 'als', settings: {}, model });
const guarded = (model: string) => ({ ...request(model), method: 'dpals', publishFrom: 1 });

async function ended(id: string): Promise<Run> {
  return until(() => {
    const run = runs.get(id);
    return run !== undefined && hasEnded(run) ? run : undefined;
  });
}

async function until<Found>(find: () => Found | undefined): Promise<Found> {
  for (let attempt = 0; attempt < 400; attempt++) {
    const found = find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`Waited in vain: ${JSON.stringify([...runs.values()])}`);
}

it('gives one of two requests at once the name of the model', async () => {
  const both = await Promise.all([runner.start('1', request('a')), runner.start('2', request('a'))]);
  expect(both.map((run) => run?.id)).toEqual(['1', undefined]);
  expect(runs.size).toBe(1);
  expect((await ended('1')).status).toBe('done');
});

it('resumes a run once, however often it is asked at once', async () => {
  const run = (await runner.start('1', request('slow-1')))!;
  await until(() => (runs.get('1')!.status === 'running' ? true : undefined));
  await runner.stop(run.id);
  const stopped = await ended(run.id);
  const both = await Promise.all([runner.resume(stopped), runner.resume(stopped)]);
  expect(both.map((again) => again?.status)).toEqual(['queued', undefined]);
});

it('does not keep the name of a run that could not be stored', async () => {
  write = () => {
    throw new Error('no room');
  };
  await expect(runner.start('1', request('a'))).rejects.toThrow('no room');
  write = () => {};
  expect(await runner.start('2', request('a'))).toBeDefined();
  expect((await ended('2')).status).toBe('done');
});

it('trains no more at once than it may, where folders are made first', async () => {
  await Promise.all([runner.start('1', guarded('slow-1')), runner.start('2', guarded('slow-2'))]);
  await until(() => (runs.get('1')!.status === 'running' ? true : undefined));
  expect(runner.runningCount).toBe(1);
  expect(runs.get('2')!.status).toBe('queued');
});

it('starts nothing after it was closed', async () => {
  await runner.start('1', guarded('a'));
  await runner.close();
  expect(runs.get('1')!.status).toBe('interrupted');
  expect(existsSync(join(folder, 'models', '.held', 'a.starts'))).toBe(false);
});

it('ends a run as failed where its folder cannot be made', async () => {
  writeFileSync(join(folder, 'models', '.held'), 'a file where a folder should be');
  await runner.start('1', guarded('a'));
  const run = await ended('1');
  expect(run).toMatchObject({ status: 'failed', error: expect.stringContaining('could not write') });
  expect(run.error).not.toContain(folder);
  expect(errors).toHaveLength(1);
});

it('keeps a paid model that cannot be put in its place, to be published later', async () => {
  // A folder with something in it cannot be replaced by a rename.
  mkdirSync(join(folder, 'models', 'a', 'full'), { recursive: true });
  await runner.start('1', guarded('a'));
  const run = await ended('1');
  expect(run).toMatchObject({ status: 'failed', published: false, result: { model: 'a' } });
  rmSync(join(folder, 'models', 'a'), { recursive: true });
  expect(await runner.publish(run)).toMatchObject({ status: 'done', published: true, error: null });
  expect(existsSync(join(folder, 'models', 'a'))).toBe(true);
});

it('stores the end of a run as soon as it can be', async () => {
  let refusals = 0;
  write = ({ status }) => {
    if (status === 'done' && refusals++ === 0) throw new Error('no room');
  };
  await runner.start('1', request('a'));
  expect((await ended('1')).status).toBe('done');
  expect(refusals).toBe(2);
  expect(errors.map(({ message }) => message)).toEqual(['no room']);
});

it('starts commands that load no plug-in, whatever lies in the folder', async () => {
  const line = join(folder, 'environment.mjs');
  writeFileSync(line, 'export const main = async () => (console.log(JSON.stringify(process.env)), 0);');
  const { result } = await startCommand(line, [], {}, () => {}).ended;
  expect(result).toMatchObject({ HUSHREC_PLUGINS: 'none' });
});
