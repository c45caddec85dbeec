import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
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
writeFileSync(
  join(bin, 'hushrec'),
  `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'apps/cli/bin/hushrec.js')}" "$@"\n`,
);
chmodSync(join(bin, 'hushrec'), 0o755);

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
  it.each(names.filter((name) => !elsewhere.has(name) && commandsOf(textOf(name)).length > 0))(
    'runs: %s',
    (name) => {
      expect(firstFault(name, textOf(name))).toBeUndefined();
    },
  );

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
