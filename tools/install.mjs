// Makes sure node_modules matches package-lock.json. Cheap when it already does.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const lock = new URL('../package-lock.json', import.meta.url);
const installed = new URL('../node_modules/.package-lock.json', import.meta.url);

/**
 * npm leaves a copy of the lock file without the root and workspace entries. What both list must agree; only
 * an optional package, which may be for another system, may be missing.
 */
function upToDate() {
  if (!existsSync(installed)) return false;
  const packagesOf = (file) => {
    const { packages } = JSON.parse(readFileSync(file, 'utf8'));
    return Object.fromEntries(
      Object.entries(packages)
        .filter(([path]) => path.startsWith('node_modules/'))
        .map(([path, entry]) => [path, entry]),
    );
  };
  const versionOf = (entry) => entry?.version ?? entry?.resolved;
  const wanted = packagesOf(lock);
  const have = packagesOf(installed);
  return (
    statSync(installed).mtimeMs > 0 &&
    Object.keys(have).every((path) => versionOf(wanted[path]) === versionOf(have[path])) &&
    Object.entries(wanted).every(
      ([path, entry]) => path in have || entry.optional === true || entry.peer === true,
    )
  );
}

export function install() {
  if (upToDate()) return;
  console.error('Installing dependencies …');
  const run = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: ['ignore', 2, 2],
    // npm is a batch file on Windows, which only a shell can start.
    shell: process.platform === 'win32',
  });
  if (run.status !== 0) process.exit(run.status ?? 1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) install();
