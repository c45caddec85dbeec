// Makes sure node_modules matches package-lock.json. Cheap when it already does.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const lock = new URL('../package-lock.json', import.meta.url);
const installed = new URL('../node_modules/.package-lock.json', import.meta.url);

/** npm leaves a copy of the lock file without the root and workspace entries; compare what both list. */
function upToDate() {
  if (!existsSync(installed)) return false;
  const packagesOf = (file) => {
    const { packages } = JSON.parse(readFileSync(file, 'utf8'));
    return Object.fromEntries(
      Object.entries(packages)
        .filter(([path]) => path.startsWith('node_modules/'))
        .map(([path, entry]) => [path, entry.version ?? entry.resolved]),
    );
  };
  const wanted = packagesOf(lock);
  const have = packagesOf(installed);
  return (
    statSync(installed).mtimeMs > 0 &&
    Object.entries(have).every(([path, version]) => wanted[path] === version) &&
    Object.entries(wanted).every(([path, version]) => have[path] === version || !(path in have))
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
