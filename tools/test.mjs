// The README's test command: installs, builds, checks, and runs every unit test and one of each kind of long
// test. `--tier=rest` runs the others, `--tier=all` everything, `--tier=fast` the short ones without the
// static checks. Other arguments go to vitest; where they name files, those files run, whatever their tier.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { install } from './install.mjs';
import { memoryFolder } from './memory-folder.mjs';
import { filesOf, testFiles } from './test-tiers.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const flag = process.argv.find((argument) => argument.startsWith('--tier='));
const tier = flag?.slice('--tier='.length) ?? 'usual';
const others = process.argv.slice(2).filter((argument) => argument !== flag);
const namesFiles = others.some((argument) => !argument.startsWith('-'));
const files = filesOf(namesFiles ? 'all' : tier, root);

install();
const { build } = await import('./build.mjs');
build();
if (tier === 'usual' || tier === 'all') run('node', ['tools/check.mjs', '--static']);
process.env['HUSHREC_TESTS'] = namesFiles ? 'all' : tier;
const folder = tier === 'usual' || tier === 'fast' ? memoryFolder() : undefined;
if (folder !== undefined) {
  process.env['TMPDIR'] = folder;
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
}
run('npx', [
  '--no-install',
  'vitest',
  'run',
  '--reporter=default',
  '--reporter=./tools/skipped-tests.mjs',
  ...others,
]);
const all = testFiles(root).length;
if (files.length < all)
  console.log(
    `${all - files.length} of ${all} test files belong to other tiers; \`npm run test:all\` runs every file.`,
  );

function run(command, args) {
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    // npx is a batch file on Windows, which only a shell can start.
    shell: process.platform === 'win32' && command === 'npx',
  });
  if (status !== 0) process.exit(status ?? 1);
}
