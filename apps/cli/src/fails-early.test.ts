// What is wrong is said before any work: nothing is imported, charged or written.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand } from './run-command.test.data.js';

const program = fileURLToPath(new URL('../bin/hushrec.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'hushrec-fails-early-'));
const at = (name: string) => join(folder, name);
beforeAll(async () => {
  writeFileSync(at('ratings.csv'), 'user,item,rating\na,x,5\nb,y,1\na,y,4\n');
  await runCommand('generate', at('taken'), '--people', '20', '--items', '10', '--ratings', '60');
  await runCommand('train', at('taken'), '--method', 'item-average', '--out', at('model'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  ['train', '--epsilon', '0', /above 0/],
  ['train', '--epsilon', '-1', /above 0/],
  ['train', '--epsilon', 'one', /expected a number/],
  ['train', '--epsilon=1', '--delta=2', /--delta is 2/],
  ['train', '--method', 'dp-als', /Did you mean "dpals"/],
  ['train', '--epsilon=1', '--set=rnk=8', /no setting "rnk".* Did you mean "rank"/],
  ['train', '--epsilon=1', '--scale=5', /min:max:step/],
  ['train', '--epsilon=1', `--out=${at('model')}`, /--overwrite/],
  ['compare', '--methods=als', '--metrics=rsme', /no metric "rsme".* Did you mean "rmse"/],
  ['compare', '--methods=als', '--metrics=rmse,recall', /of the form recall@k/],
  ['compare', '--methods=als', '--epsilons=1,0', /above 0/],
  ['compare', '--methods=als', '--set=rnak=8', /Did you mean "rank"/],
])('%s %s %s', async (command, ...rest) => {
  const message = rest.pop() as RegExp;
  const before = readdirSync(folder);
  const run = await runCommand(command as string, at('ratings.csv'), ...(rest as string[]));
  expect(run).toMatchObject({ code: 2, text: '' });
  expect(run.errors).toMatch(message);
  expect(readdirSync(folder)).toEqual(before);
});

it.each([
  ['train', ['--epsilon=1'], []],
  ['compare', ['--methods=als'], []],
  ['evaluate', [], [at('model')]],
] as const)(
  '%s refuses flags about a source where it is given a data set folder',
  async (command, flags, args) => {
    const before = readdirSync(folder);
    const attempt = (...more: string[]) => runCommand(command, ...args, at('taken'), ...flags, ...more);
    for (const [flag, value] of [
      ['--catalogue', 'no-such-file.csv'],
      ['--items', at('ratings.csv')],
      ['--columns', 'user,item'],
      ['--scale', '1:5:1'],
      ['--events', 'buy'],
      ['--separator', ';'],
      ['--format', 'csv'],
      ['--header', 'no'],
      ['--skip-bad-rows', '3'],
      ['--query', 'select 1'],
    ] as const) {
      const run = await attempt(flag, value);
      expect(run, `${flag}: ${run.errors}`).toMatchObject({ code: 2, text: '' });
      // How a source is read is said to import; of a file that is named directly, the least that it takes.
      const isKnown = !run.errors.includes('unknown option');
      if (command === 'train' && ['--columns', '--query', '--catalogue'].includes(flag))
        expect(isKnown, flag).toBe(true);
      if (flag === '--scale') expect(isKnown, flag).toBe(true);
      expect(run.errors).toContain(
        isKnown
          ? `is a data set folder, read when it was imported: ${flag} `
          : `${flag} belongs to \`hushrec import\``,
      );
      if (isKnown)
        expect(run.errors).toContain(
          `Leave it out, or import the source again: hushrec import SOURCE ${at('taken')}`,
        );
    }
    expect(readdirSync(folder)).toEqual(before);
  },
);

it('evaluate takes flags about the file of --test, and about nothing else', async () => {
  writeFileSync(at('test.csv'), 'who;what;stars\nnobody;nothing;5\n');
  const attempt = (...flags: string[]) =>
    runCommand('evaluate', at('model'), at('taken'), '--test', at('test.csv'), ...flags);
  const run = await attempt('--columns', 'who,what,stars', '--scale', '0.5:5:0.5');
  expect(run.errors).toContain('nothing in it can be asked for');
  expect((await attempt('--catalogue', 'none.csv')).errors).toContain(
    '--catalogue belongs to `hushrec import`',
  );
});

it('refresh refuses flags about new ratings where there are none', async () => {
  const attempt = (...flags: string[]) =>
    runCommand('refresh', at('taken'), '--model', at('model'), ...flags);
  for (const flags of [['--query', 'select 1'], ['--items-query', 'select 1'], ['--append']]) {
    const run = await attempt(...flags);
    expect(run, run.errors).toMatchObject({ code: 2, text: '' });
    expect(run.errors).toContain(`${flags[0]} says how new ratings are read: give their source with --from`);
  }
  for (const flags of [
    ['--scale', '1:5:1'],
    ['--catalogue', 'none.csv'],
  ]) {
    const run = await attempt(...flags, '--from', at('ratings.csv'));
    expect(run, run.errors).toMatchObject({ code: 2, text: '' });
    expect(run.errors).toContain(`${flags[0]} belongs to \`hushrec import\``);
  }
});

it.each([
  ['--catalogue', 'none.csv'],
  ['--items', 'none.csv'],
  ['--catalogue', ''],
  ['--items', ''],
])('import FILE %s %j is an error, and nothing is imported', async (flag, value) => {
  const run = await runCommand('import', at('ratings.csv'), at('never'), flag, value && at(value));
  expect(run, run.errors).toMatchObject({ code: 3, text: '' });
  expect(readdirSync(folder)).not.toContain('never');
});

it('no message shows a password', async () => {
  const address = 'mysql://ann:secret-word@db.example/shop';
  for (const args of [
    ['import', address, at('never'), '--new-ledger'],
    ['train', address, '--epsilon', '1'],
    ['train', at('ratings.csv'), '--epsilon', '1', '--features', address],
    ['import', at('ratings.csv'), at('never'), '--scale', '1:5:1', '--items', address],
    ['compare', address],
    ['evaluate', address, at('taken')],
    ['refresh', at('taken'), '--model', at('model'), '--from', address],
    ['recommend', at('model'), '--history', address],
    ['ledger', 'show', address],
    ['ledger', 'show', at('taken'), '--ledger', address],
  ]) {
    const run = await runCommand(...args);
    expect(run.code, args.join(' ')).not.toBe(0);
    expect(run.errors + run.text).not.toContain('secret-word');
    expect(run.errors).toContain('db.example');
  }
});

it('train names a file of features that is not there', async () => {
  const run = await runCommand('train', at('ratings.csv'), '--epsilon', '1', '--features', at('none.csv'));
  expect(run).toMatchObject({ code: 3, text: '' });
  expect(run.errors).toMatch(/none\.csv: it cannot be opened/);
  expect(readdirSync(folder)).not.toContain('ratings.hushrec');
});

it('serve does not make up a folder of models', async () => {
  const run = await runCommand('serve', '--models', at('nowhere'));
  expect(run).toMatchObject({ code: 2 });
  expect(run.errors).toContain('there is no such folder');
  expect(readdirSync(folder)).not.toContain('nowhere');
});

it('Ctrl-C ends a training within a second or so, charges nothing more, and leaves nothing half-written', async () => {
  await runCommand('generate', at('large'), '--people', '4000', '--items', '400', '--ratings', '300000');
  const before = readdirSync(folder);
  const run = spawn(
    process.execPath,
    [program, 'train', at('large'), '--method', 'als', '--set', 'rounds=500', '--out', at('never')],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = new Promise<number | null>((resolve) => run.on('exit', resolve));
  await new Promise<void>((resolve) => {
    run.stderr.on('data', (text) => String(text).includes('No privacy') && resolve());
    run.on('exit', () => resolve());
  });
  const asked = performance.now();
  run.kill('SIGINT');
  expect(await ended).toBe(130);
  // On a machine that does nothing else.
  if (process.env['HUSHREC_STRICT_TIMES']) expect(performance.now() - asked).toBeLessThan(1000);
  expect(readdirSync(folder)).toEqual(before);
});
