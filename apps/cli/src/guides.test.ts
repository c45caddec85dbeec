import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPostgres, whyNoPostgres } from '@hushrec/testing';
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { runCommand } from './run-command.test.data.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const guides = join(root, 'docs', 'guides');
const folder = mkdtempSync(join(tmpdir(), 'hushrec-guides-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bin = join(folder, 'bin');
mkdirSync(bin);
const program = (name: string, text: string) => {
  writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
  chmodSync(join(bin, name), 0o755);
};
/** The command that is installed: this build, or after an upgrade the same build as a newer version. */
const installed = join(folder, 'installed');
symlinkSync(join(root, 'apps/cli'), installed);
program('hushrec', `exec "${process.execPath}" "${installed}/bin/hushrec.js" "$@"`);

const newer = join(folder, 'newer');
for (const part of ['bin', 'dist'])
  cpSync(join(root, 'apps/cli', part), join(newer, part), { recursive: true });
symlinkSync(join(root, 'node_modules'), join(newer, 'node_modules'));
const manifest = JSON.parse(readFileSync(join(root, 'apps/cli/package.json'), 'utf8'));
writeFileSync(join(newer, 'package.json'), JSON.stringify({ ...manifest, version: '0.2.0' }));

/** What the steps of an upgrade did, in order; the programs of the machine that they call are stand-ins. */
const steps = join(folder, 'steps');
const logged = `echo "$(basename "$0") $*" >> "${steps}"`;
program('systemctl', logged);
program(
  'npm',
  `${logged}
case "$*" in
  "install --global release/hushrec-0.2.0.tgz") ln -sfn "${newer}" "${installed}" ;;
  "install --global release/hushrec-${manifest.version}.tgz") ln -sfn "${join(root, 'apps/cli')}" "${installed}" ;;
  *) exit 1 ;;
esac`,
);

const names = readdirSync(guides).filter((name) => name.endsWith('.md'));
const textOf = (name: string) => readFileSync(join(guides, name), 'utf8');
/** Guides across machines have a test of their own, with real processes. */
const elsewhere = new Set(['federated.md']);
const commandsOf = (text: string) =>
  [...text.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block]) =>
    block.split('\n').filter((line) => line.trim() !== ''),
  );

/**
 * Runs the commands of a guide one after the other in a folder of their own; the first that does not do as it
 * says.
 */
function firstFault(name: string, text: string): string | undefined {
  const cwd = join(folder, name.replace('.md', ''));
  mkdirSync(cwd);
  const env = {
    ...process.env,
    PATH: `${bin}${delimiter}${process.env['PATH']}`,
    XDG_STATE_HOME: join(cwd, '.state'),
  };
  for (const command of commandsOf(text)) {
    const expected = Number(/# refused: exit code (\d)/.exec(command)?.[1] ?? 0);
    const { status, stderr } = spawnSync('sh', ['-c', command], { cwd, env, encoding: 'utf8' });
    if (status !== expected) return `${command}\nended with ${status} instead of ${expected}\n${stderr}`;
  }
  return undefined;
}

/** Blocks that would be typed into a shell and that nothing runs: those of another language than `sh`. */
function blocksNotRun(text: string): string[] {
  const runByNobody = ['ini', 'js', 'json', 'jsx', 'nginx', 'python', 'text', 'ts'];
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].flatMap(([whole, language, block]) =>
    language === 'sh' || (runByNobody.includes(language) && !/^\s*(npx )?(hushrec|npm) /m.test(block))
      ? []
      : [whole],
  );
}

describe.skipIf(process.platform === 'win32')('every command of every guide', () => {
  it('an upgrade is to another version, which trains and verifies what the first one made', () => {
    const made = `hushrec generate shop --people 500 --items 60 --ratings 8000 --seed 6
hushrec train shop --epsilon 1 --delta 1e-6 --people 500 --out models/shop
npm install --global release/hushrec-0.2.0.tgz
test "$(hushrec --version)" = 0.2.0
hushrec verify models/shop
hushrec train shop --epsilon 1 --delta 1e-6 --people 500 --out models/later
npm install --global release/hushrec-${manifest.version}.tgz
test "$(hushrec --version)" = ${manifest.version}`;
    expect(firstFault('upgrade.md', `\`\`\`sh\n${made}\n\`\`\`\n`)).toBeUndefined();
    rmSync(steps);
  });

  it.each(names.filter((name) => !elsewhere.has(name) && commandsOf(textOf(name)).length > 0))(
    'runs: %s',
    (name) => {
      expect(firstFault(name, textOf(name))).toBeUndefined();
    },
  );

  it('an upgrade copies the ledger while nothing runs, and starts again after the model was verified', () => {
    expect(readFileSync(steps, 'utf8').trimEnd().split('\n')).toEqual([
      'systemctl stop hushrec hushrec-refresh.timer',
      'npm install --global release/hushrec-0.2.0.tgz',
      'systemctl start hushrec hushrec-refresh.timer',
      'systemctl stop hushrec hushrec-refresh.timer',
      `npm install --global release/hushrec-${manifest.version}.tgz`,
      'systemctl start hushrec hushrec-refresh.timer',
    ]);
    const order = commandsOf(textOf('deployment.md'));
    const at = (start: string) => order.findIndex((line) => line.startsWith(start));
    const places = ['systemctl stop', 'npm install', 'hushrec verify', 'systemctl start'].map(at);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(order[at('systemctl stop') + 1]).toMatch(/^cp .*ledger\.sqlite" before-upgrade\.sqlite$/);
  });

  it.each([
    ['a wrong option', 'hushrec privacy plan --people 610 --itemz 3000 --ratings-per-person 130', '--itemz'],
    ['a name that is nowhere', 'hushrec verify no-such-model', 'no-such-model'],
    ['a refusal that does not come', 'hushrec methods # refused: exit code 4', 'instead of 4'],
  ])('would be noticed if it were wrong: %s', (what, command, told) => {
    const planted = `Text.\n\n\`\`\`sh\nhushrec methods\n${command}\n\`\`\`\n`;
    expect(firstFault(`planted ${what}.md`, planted)).toContain(told);
  });
});

/** The guide names the address of a shop's database; here it is that of a database of the test. */
it.skipIf(process.platform === 'win32' || whyNoPostgres() !== undefined)(
  'the shop’s command for PostgreSQL reads purchases and titles',
  async () => {
    const [, command] = /`(hushrec import postgres:[^`]+)`/.exec(textOf('shop.md').replaceAll('\n', ' '))!;
    const postgres = await startPostgres();
    try {
      const client = new pg.Client({ connectionString: postgres.url });
      await client.connect();
      await client.query(`
        CREATE TABLE purchases (customer text, product text, ordered_at timestamptz);
        CREATE TABLE products (product text, title text);
        INSERT INTO purchases VALUES ('ann', 'tea', '2026-03-01'), ('ann', 'mug', '2026-03-02'), ('bob', 'tea', '2026-03-02');
        INSERT INTO products VALUES ('tea', 'Green tea'), ('mug', 'A mug');`);
      await client.end();
      const here = command.replace('postgres://shop.internal/shop', postgres.url);
      expect(here).not.toBe(command);
      expect(firstFault('postgres.md', `\`\`\`sh\n${here}\n\`\`\`\n`)).toBeUndefined();
      const { people, items, hasTimes } = JSON.parse(
        readFileSync(join(folder, 'postgres', 'my-shop', 'dataset.json'), 'utf8'),
      );
      expect({ people, items, hasTimes }).toEqual({ people: 2, items: 2, hasTimes: true });
    } finally {
      await postgres.stop();
    }
  },
);

it('no guide has commands in a block that is not run, and one that had would be noticed', () => {
  for (const name of names) expect(blocksNotRun(textOf(name)), name).toEqual([]);
  for (const language of ['', 'bash', 'console'])
    expect(blocksNotRun(`\`\`\`${language}\ncurl -O x\n\`\`\`\n`)).toHaveLength(1);
  expect(blocksNotRun('```text\nhushrec train x\n```\n')).toHaveLength(1);
});

/**
 * Pages beside the guides: what they take is not there (Spark), or takes hours. Their options exist at least.
 */
const pagesBeside = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
it.each(
  pagesBeside.flatMap((page) =>
    commandsOf(readFileSync(join(root, 'docs', page), 'utf8'))
      .filter((line) => page !== 'commands.md' && /^hushrec /.test(line))
      .map((line) => [page, line] as const),
  ),
)('%s names options that exist: %s', async (_, line) => {
  const [, command, ...words] = line.split(/\s+#/)[0].split(/\s+/);
  const help = await runCommand(...[command, ...(command === 'ledger' ? [words[0]] : []), '--help']);
  expect(help.code, line).toBe(0);
  for (const option of words.filter((word) => word.startsWith('--')))
    expect(help.text, line).toContain(`${option} `);
});

describe('links of the guides', () => {
  it.each(names)('lead somewhere: %s', (name) => {
    const links = [...textOf(name).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
      .map(([, to]) => to)
      .filter((to) => !/^https?:/.test(to));
    for (const to of links) expect(existsSync(resolve(guides, to)), `${name}: ${to}`).toBe(true);
  });
  it('are all in the list', () => {
    for (const name of names.filter((each) => each !== 'README.md'))
      expect(textOf('README.md')).toContain(`(${name})`);
  });
});
