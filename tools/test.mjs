// The README's test command: installs, builds, checks, and runs every test.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { install } from './install.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
install();
const { build } = await import('./build.mjs');
build();
for (const [command, args] of [
  ['node', ['tools/check.mjs', '--static']],
  ['npx', ['--no-install', 'vitest', 'run', ...process.argv.slice(2)]],
]) {
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    // npx is a batch file on Windows, which only a shell can start.
    shell: process.platform === 'win32' && command === 'npx',
  });
  if (status !== 0) process.exit(status ?? 1);
}
