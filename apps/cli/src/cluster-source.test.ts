import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateCatalogue, writeDataset } from '@hushrec/ratings';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from './run-command.test.data.js';

let folder: string;
let elsewhere: string;
let here: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hushrec-elsewhere-'));
  [elsewhere, here] = [join(folder, 'elsewhere'), join(folder, 'here')];
  const { ratings } = generateCatalogue({ users: 30, items: 8, ratings: 120, seed: 1 });
  const ids = (count: number) => Array.from({ length: count }, (_, at) => String(at));
  const content = {
    name: 'test',
    ratings,
    userIds: ids(ratings.userCount),
    itemIds: ids(8),
    itemTitles: ids(8),
    features: [],
  };
  await writeDataset(here, { ...content, provenance: {} });
  await writeDataset(elsewhere, { ...content, provenance: { cluster: {} } });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const out = () => join(folder, 'model');
const nowhere = ['--engine', 'sc://127.0.0.1:1'];

describe('people on a cluster, without one', () => {
  it.each([
    [[], 'its people are on a cluster, not in this folder'],
    [['--memory', '1GiB'], 'its people are on a cluster, not in this folder'],
    [nowhere, 'No Spark Connect server answers at 127.0.0.1:1.'],
    [[...nowhere, '--method', 'private-sgd'], 'private-sgd must see all ratings in one process'],
    [
      [...nowhere, '--protocol', 'holdout'],
      '--protocol, --liked and --memory are for ratings on this machine',
    ],
    [['--engine', 'sc://far.away'], 'far.away would be spoken to in the clear'],
    [
      ['--engine', 'sc://far.away/;token=hidden'],
      'A token for far.away would cross the network in the clear',
    ],
    [['--engine', 'SC://far.away/;token=hidden'], 'expected local, local:THREADS or sc://host:port'],
    [['--engine', 'sc://far.away/;hidden'], 'is not name=value'],
    [['--engine', 'spark://127.0.0.1:7077'], 'expected local, local:THREADS or sc://host:port'],
    [['--storage', '/somewhere'], '--storage, --node and --trust-network are for a cluster'],
    [[...nowhere, '--node', 'node.zip'], 'Spark unpacks .tar.gz'],
  ] as const)('are not trained: %j', async (flags, words) => {
    const { code, errors } = await runCommand(
      'train',
      elsewhere,
      '--epsilon',
      '1',
      '--seed',
      '1',
      '--out',
      out(),
      ...flags,
    );
    expect(code).not.toBe(0);
    expect(errors).toContain(words);
    expect(errors).not.toContain('hidden');
  });

  it.each(['import', 'train'])('are not looked for here by %s where a table is named', async (command) => {
    const rest = command === 'import' ? [join(folder, 'set')] : ['--epsilon', '1', '--out', out()];
    const { code, errors } = await runCommand(command, 'table:main.sales.ratings', ...rest);
    expect(code).toBe(2);
    expect(errors).toContain('Spark reads table:main.sales.ratings: name the cluster with --engine');
  });

  it('are told from people who are here', async () => {
    const trained = await runCommand(
      ...['train', here, '--epsilon', '1', '--seed', '1', '--out', out(), '--engine', 'local:1', '--json'],
    );
    expect(trained.code, trained.errors).toBe(0);
    const evaluated = await runCommand('evaluate', out(), here, ...nowhere);
    expect(evaluated.errors).toContain('--test FILE');
    const appended = await runCommand('import', '/source', here, '--append', ...nowhere);
    expect(appended.errors).toContain('On a cluster Parquet or a table is imported, whole');
  });
});
