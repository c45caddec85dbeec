import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand } from '../run-command.test.data.js';

const program = fileURLToPath(new URL('../../bin/hushrec.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'hushrec-refresh-'));
const at = (name: string) => join(folder, name);
const [shop, model] = [at('shop'), at('models/shop')];
let server: ChildProcess;
let address: string;

function week(number: number): string {
  const file = at(`week-${number}.csv`);
  const rows = Array.from(
    { length: 600 },
    (_, k) =>
      `u${k % 60},i${(k * 7 + number) % 25},${1 + ((k + number) % 5)},${1_600_000_000 + number * 604_800 + k}`,
  );
  writeFileSync(file, `user,item,rating,time\n${rows.join('\n')}\n`);
  return file;
}
const certificate = () => JSON.parse(readFileSync(join(model, 'certificate.json'), 'utf8'));

beforeAll(async () => {
  mkdirSync(at('models'));
  const ran = async (...args: string[]) => {
    const run = await runCommand(...args);
    expect(run.code, run.errors).toBe(0);
  };
  await ran('import', week(1), shop, '--scale', '1:5:1');
  await ran('ledger', 'grant', shop, '--epsilon', '3', '--delta', '1e-6');
  const options = ['--epsilon', '2', '--people', '60', '--set', 'rounds=2', '--out', model];
  await ran('train', shop, ...options);
  server = spawn(process.execPath, [program, 'serve', '--models', at('models'), '--port', '0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  address = await new Promise((resolve) => {
    server.stderr!.on('data', (text) => {
      const found = /Serving on (\S+)/.exec(String(text))?.[1];
      if (found !== undefined) resolve(found);
    });
  });
});
afterAll(async () => {
  server?.kill('SIGTERM');
  await new Promise((resolve) => server?.on('exit', resolve));
  rmSync(folder, { recursive: true, force: true });
});

it('trains as before on new ratings, and a server that runs gives out the old model, then the new one', async () => {
  const before = certificate();
  const answers: { status: number; hash?: string }[] = [];
  let isDone = false;
  const asking = (async () => {
    while (!isDone) {
      const answer = await fetch(`${address}/models/shop/certificate.json`);
      answers.push({
        status: answer.status,
        ...(answer.ok && { hash: ((await answer.json()) as { hash: string }).hash }),
      });
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  // One more run at ε = 2 fits into the grant of 3: runs compose.
  const run = await runCommand('refresh', shop, '--from', week(2), '--append', '--model', model, '--json');
  expect(run.errors).toContain('Reading the source as before, with --scale 1:5:1.');
  const after = certificate();
  await expect
    .poll(
      async () =>
        ((await (await fetch(`${address}/models/shop/certificate.json`)).json()) as { hash: string }).hash,
    )
    .toBe(after.hash);
  isDone = true;
  await asking;
  expect(run.code, run.errors).toBe(0);
  expect(run.json).toMatchObject({
    trained: true,
    method: 'hush',
    epsilon: 2.92973,
    lastRunEpsilon: 2,
    account: 'shop',
  });
  expect(after.hash).not.toBe(before.hash);
  expect(after.account).toBe(before.account);
  expect(JSON.parse(readFileSync(join(model, 'model.json'), 'utf8')).settings.rounds).toBe(2);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ hash }) => hash)).size).toBeLessThanOrEqual(2);
});

it('spends nothing where nothing is new', async () => {
  const before = certificate();
  const run = await runCommand(
    'refresh',
    shop,
    '--from',
    at('week-2.csv'),
    '--append',
    '--model',
    model,
    '--json',
  );
  expect(run.json, run.errors).toMatchObject({ trained: false });
  expect(certificate()).toEqual(before);
});

it('spends nothing where no source is given and the model has seen all there is', async () => {
  const before = certificate();
  const same = await runCommand('refresh', shop, '--model', model, '--epsilon', '2', '--json');
  expect(same.json, same.errors).toMatchObject({ trained: false });
  const words = await runCommand('refresh', shop, '--model', model);
  expect(words.text).toContain('Nothing is new');
  expect(certificate()).toEqual(before);
  // Another ε is something new, and so is being told: both ask the budget, which is spent.
  for (const more of [['--epsilon', '2.5'], ['--set', 'rounds=3'], ['--force']])
    expect((await runCommand('refresh', shop, '--model', model, ...more)).code, more.join(' ')).toBe(4);
  expect(certificate()).toEqual(before);
});

it('leaves the old model where the budget is spent', async () => {
  const before = certificate();
  const run = await runCommand('refresh', shop, '--from', week(3), '--append', '--model', model);
  expect(run.code).toBe(4);
  expect(run.errors).toContain('stays as it is');
  expect(certificate()).toEqual(before);
  expect((await runCommand('verify', model)).code).toBe(0);
  // The ratings are in the data set, the model has not seen them: the same again is refused again, and does
  // not find that nothing is new.
  const again = await runCommand('refresh', shop, '--from', at('week-3.csv'), '--append', '--model', model);
  expect(again.code).toBe(4);
  // Without a source too: they are in the data set.
  expect((await runCommand('refresh', shop, '--model', model)).code).toBe(4);
});

it('says what is missing', async () => {
  expect(await runCommand('refresh', at('nobody'), '--model', model)).toMatchObject({ code: 3 });
  const none = await runCommand('refresh', shop, '--model', at('models/new'));
  expect(none.code).toBe(2);
  expect(none.errors).toMatch(/give epsilon/);
});

it('finds the data set by the name or the id of its account', async () => {
  mkdirSync(at('elsewhere'));
  cpSync(shop, at('elsewhere/data-7'), { recursive: true });
  const { account } = JSON.parse(readFileSync(join(shop, 'dataset.json'), 'utf8'));
  const here = process.cwd();
  process.chdir(at('elsewhere'));
  try {
    for (const name of [account.name, account.id]) {
      const run = await runCommand('refresh', name, '--model', model, '--epsilon', '50');
      expect(run.errors).not.toContain('there is no data set');
      expect(run.code).not.toBe(0);
    }
    const run = await runCommand('refresh', 'nobody', '--model', model);
    expect(run.errors).toContain('there is no data set of this account here');
  } finally {
    process.chdir(here);
  }
});
