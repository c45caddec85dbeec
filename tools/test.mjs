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
// Lists are short enough for every system's command line: what runs where that is less, else what does not.
const leftOut = testFiles(root).filter((file) => !files.includes(file));
const choice = files.length < leftOut.length ? files : leftOut.map((file) => `--exclude=${file}`);
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
  ...choice,
  ...others,
]);
if (leftOut.length > 0)
  console.log(
    `${leftOut.length} of ${files.length + leftOut.length} test files belong to other tiers; \`npm run test:all\` runs every file.`,
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
