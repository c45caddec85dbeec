import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportCsv, openDataset } from '@hushrec/ratings';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand } from '../run-command.test.data.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-evaluate-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string) => join(folder, name);

// A file of earlier ratings to train on, and one of later ratings to ask for.
beforeAll(async () => {
  await runCommand('generate', at('all'), '--people', '200', '--items', '40', '--ratings', '4000');
  await exportCsv(at('all.csv'), await openDataset(at('all')));
  const [header, ...rows] = readFileSync(at('all.csv'), 'utf8').trimEnd().split('\n');
  const write = (name: string, lines: readonly (string | undefined)[]) =>
    writeFileSync(at(name), `${[header, ...lines].join('\n')}\n`);
  write(
    'past.csv',
    rows.filter((_, k) => k % 5 !== 0),
  );
  write('future.csv', [...rows.filter((_, k) => k % 5 === 0), rows[1], 'nobody,1,3,1600000000']);
  const trained = await runCommand('train', at('past.csv'), '--method', 'als', '--out', at('model'));
  expect(trained.code, trained.errors).toBe(0);
});

it('--test asks for the ratings of a file, with ranking beside the error', async () => {
  const run = await runCommand('evaluate', at('model'), at('past.csv'), '--test', at('future.csv'), '--json');
  expect(run.code, run.errors).toBe(0);
  expect(run.json).toMatchObject({ protocol: 'test file', retrained: false });
  expect(Object.keys(run.json.metrics)).toEqual(['rmse', 'mae', 'ndcg@10', 'recall@10']);
  expect(run.json.metrics.rmse.value).toBeLessThan(1.2);
  expect(run.json.metrics['recall@10'].value).toBeGreaterThan(0.2);
  expect(run.errors).toMatch(/[1-9][0-9]* rows about people or items/);
  expect(run.errors).toMatch(/1 pair that the data set has too/);
});

it('a test file is read as the data set was, unless its columns are named', async () => {
  const rowsOf = (name: string) => readFileSync(at(name), 'utf8').trimEnd().split('\n').slice(1);
  const as = (name: string, lines: readonly string[], head: string) =>
    writeFileSync(at(name), [head, ...lines].map((line) => line.replaceAll(',', ';')).join('\n'));
  as('semicolons.csv', rowsOf('past.csv'), 'person,film,grade,when');
  as('later.csv', rowsOf('future.csv'), 'person,film,grade,when');
  const columns = ['--columns', 'person,film,grade,when', '--scale', '0.5:5:0.5'];
  const place = ['--separator', ';', '--account', 'of semicolons'];
  const made = await runCommand('import', at('semicolons.csv'), at('semicolons'), ...columns, ...place);
  expect(made.code, made.errors).toBe(0);
  const evaluate = (file: string, ...more: string[]) =>
    runCommand('evaluate', at('model'), at('semicolons'), '--test', at(file), '--no-save', '--json', ...more);
  const later = await evaluate('later.csv');
  expect(later.code, later.errors).toBe(0);
  const named = await evaluate('future.csv', '--columns', '1,2,3,4', '--scale', '0.5:5:0.5');
  expect(named.code, named.errors).toBe(0);
  expect(named.json.metrics).toEqual(later.json.metrics);
});

it('a test file that asks for nothing, and --test with --protocol, are refused', async () => {
  const same = await runCommand('evaluate', at('model'), at('past.csv'), '--test', at('past.csv'));
  expect(same).toMatchObject({ code: 3 });
  expect(same.errors).toContain('nothing in it can be asked for');
  const both = ['--test', at('future.csv'), '--protocol', 'holdout'];
  expect(await runCommand('evaluate', at('model'), at('past.csv'), ...both)).toMatchObject({ code: 2 });
});

it('ranking stands beside RMSE by default', async () => {
  const run = await runCommand('evaluate', at('model'), at('past.csv'), '--protocol', 'holdout');
  expect(run.text).toMatch(/rmse .*\n.*mae .*\n.*ndcg@10 .*\n.*recall@10/);
  expect(run.text).toContain('rated 4 or more');
});

it('--metrics gives those that are asked for, and refuses those that say nothing here', async () => {
  const evaluate = (...more: string[]) =>
    runCommand('evaluate', at('model'), at('past.csv'), '--test', at('future.csv'), ...more);
  const run = await evaluate('--metrics', 'coverage@5,mae,ndcg@5', '--json');
  expect(run.code, run.errors).toBe(0);
  expect(Object.keys(run.json.metrics)).toEqual(['coverage@5', 'mae', 'ndcg@5']);
  expect(Object.keys(run.json.slices[0].metrics)).toEqual(['mae']);
  const lists = await evaluate('--metrics', 'ndcg@5');
  expect(lists.text).toMatch(/^ {2}ndcg@5 .*\nRanking: of all items/m);
  expect(lists.text).not.toContain('by popularity');
  expect(await evaluate('--metrics', 'log-loss')).toMatchObject({ code: 2 });
});

it('compare --metrics measures and shows each of them, and tunes by the first', async () => {
  const compare = (...more: string[]) =>
    runCommand('compare', at('past.csv'), '--methods', 'als,popularity', '--repeats', '1', ...more);
  const run = await compare(
    '--metrics',
    'recall@5,rmse',
    '--tune',
    '2',
    '--scale',
    '0.5:5:0.5',
    '--threads',
    '1',
  );
  expect(run.code, run.errors).toBe(0);
  expect(run.text).toMatch(/method +ε +recall@5[\s\S]*method +ε +rmse[\s\S]*recall@5 on validation/);
  // What is measured on private ratings is for whoever holds them.
  expect(statSync(at('past-compare')).mode & 0o777).toBe(0o700);
  expect(run.errors).toContain('There is no rmse of what popularity gives here.');
  const report = readFileSync(at('past-compare/report.html'), 'utf8');
  expect(report).toContain('recall@5 (higher is better)');
  expect(report).toContain('rmse (lower is better)');
  // The page's type is in it, so that it looks the same wherever it is opened.
  expect(report).toContain('@font-face{font-family:Newsreader');
  const again = await compare('--metrics', 'log-loss');
  expect(again).toMatchObject({ code: 2 });
  expect(again.errors).toContain('None of these methods has log-loss');
});
