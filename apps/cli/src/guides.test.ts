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
    block!.split('\n').filter((line) => line.trim() !== ''),
  );

describe.skipIf(process.platform === 'win32')('every command of every guide', () => {
  it.each(names.filter((name) => !elsewhere.has(name) && commandsOf(textOf(name)).length > 0))(
    'runs: %s',
    (name) => {
      const cwd = join(folder, name.replace('.md', ''));
      mkdirSync(cwd);
      const env = {
        ...process.env,
        PATH: `${bin}${delimiter}${process.env['PATH']}`,
        XDG_STATE_HOME: join(cwd, '.state'),
      };
      for (const command of commandsOf(textOf(name))) {
        const expected = Number(/# refused: exit code (\d)/.exec(command)?.[1] ?? 0);
        const { status, stderr } = spawnSync('sh', ['-c', command], { cwd, env, encoding: 'utf8' });
        expect(status, `${command}\n${stderr}`).toBe(expected);
      }
    },
  );
});

/** Spark is not everywhere: there at least no command names an option that is not there. */
it.each(
  commandsOf(readFileSync(join(root, 'docs', 'cluster.md'), 'utf8')).filter((line) => /^hushrec /.test(line)),
)('the cluster’s guide names options that exist: %s', async (line) => {
  const [, command, ...words] = line.split(/\s+/);
  const help = await runCommand(...[command!, ...(command === 'ledger' ? [words[0]] : []), '--help']);
  for (const option of words.filter((word) => word.startsWith('--')))
    expect(help.text, line).toContain(`${option} `);
});

it('no guide has commands in a block that is not run', () => {
  for (const name of names)
    for (const [, language, block] of textOf(name).matchAll(/^```(\w*)\n(.*?)^```$/gms))
      if (/^\s*(npx )?hushrec /m.test(block!)) expect(language, `${name}\n${block}`).toBe('sh');
});

describe('links of the guides', () => {
  it.each(names)('lead somewhere: %s', (name) => {
    const links = [...textOf(name).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
      .map(([, to]) => to!)
      .filter((to) => !/^https?:/.test(to));
    for (const to of links) expect(existsSync(resolve(guides, to)), `${name}: ${to}`).toBe(true);
  });
  it('are all in the list', () => {
    for (const name of names.filter((each) => each !== 'README.md'))
      expect(textOf('README.md')).toContain(`(${name})`);
  });
});
