// Every check in one command: format and lint, types (by the build), import direction, doors, then
// tests.
// `--static` leaves out the build and the tests (tools/test.mjs has its own).
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { repositoryDoors } from './doors.mjs';
import { importDirectionErrors } from './import-direction.mjs';
import { filesWithWideComments } from './wrap-comments.mjs';

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
const errors = [
  ...importDirectionErrors(root),
  ...repositoryDoors(root).errors,
  ...noOpAssertions(),
  ...filesWithWideComments(root).map(
    ({ path }) => `${path}: comments are wider than lines; run \`npm run format\`.`,
  ),
];
if (errors.length > 0) {
  console.error(errors.join('\n'));
  process.exit(1);
}
if (!process.argv.includes('--static')) run('npx', '--no-install', 'vitest', 'run');

/**
 * `]!` says nothing where indexing never gives undefined (tsconfig.base.json): three files need it for values
 * that may be null or absent.
 */
function noOpAssertions() {
  const { stdout } = spawnSync('git', ['grep', '-lE', '\\]!([^=]|$)', '--', '*.ts'], {
    cwd: root,
    encoding: 'utf8',
  });
  const needed = ['papers/friedman/experiments/crossing-table.ts', 'papers/shared/item-noise.test.ts'];
  return (stdout ?? '')
    .split('\n')
    .filter((file) => file !== '' && !file.includes('/assembly/') && !needed.includes(file))
    .map((file) => `${file}: \`]!\` has no meaning here; leave it out.`);
}
