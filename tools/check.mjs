// Every check in one command: format and lint, types (by the build), import direction, then tests.
// `--static` leaves out the build and the tests (tools/test.mjs has its own).
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { importDirectionErrors } from './import-direction.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = (command, ...args) => {
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    // npx is a batch file on Windows, which only a shell can start.
    shell: process.platform === 'win32' && command === 'npx',
  });
  if (status !== 0) process.exit(status ?? 1);
};

if (!process.argv.includes('--static')) run('node', 'tools/build.mjs');
run('npx', '--no-install', 'biome', 'ci', '.', '--max-diagnostics=20', '--colors=off');
const errors = importDirectionErrors(root);
if (errors.length > 0) {
  console.error(errors.join('\n'));
  process.exit(1);
}
if (!process.argv.includes('--static')) run('npx', '--no-install', 'vitest', 'run');
