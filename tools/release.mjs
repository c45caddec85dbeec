// Packs every published package into release/ and prints what each weighs. Publishes nothing unless told to:
//
//   npm run release                  build, pack, check
//   npm run release -- --packed      the same without the build
//   npm run release -- --publish     then `npm publish` of each tarball, in the order of their dependencies
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = join(root, 'release');
/** In the order of their dependencies. Everything else is private. */
export const published = [
  'packages/privacy',
  'packages/model',
  'packages/recommend',
  'apps/client',
  'apps/cli',
];
/** What a page may load, and what `hushrec` may take on disk without its optional parts. */
export const mostBytes = { client: 8_000, hushrec: 15_000_000 };

function run(command, args, options = {}) {
  const result = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 2],
    shell: process.platform === 'win32',
    ...options,
  });
  if (result.status !== 0) process.exit(result.status ?? 1);
  return result.stdout;
}

/** Packs the published packages; gives each tarball's path, its size, and its size once installed. */
export function packAll(into = out) {
  mkdirSync(into, { recursive: true });
  const workspaces = published.flatMap((folder) => ['-w', folder]);
  const printed = run('npm', [
    'pack',
    '--json',
    '--loglevel=error',
    '--pack-destination',
    into,
    ...workspaces,
  ]);
  return JSON.parse(printed.slice(printed.indexOf('['))).map(
    ({ name, version, filename, size, unpackedSize, entryCount }) => ({
      name,
      version,
      tarball: join(into, filename),
      size,
      unpackedSize,
      entryCount,
    }),
  );
}

/** Bytes of the client as a page loads it. */
export function clientBytes() {
  return gzipSync(readFileSync(join(root, 'apps/client/bundle/hushrec-client.js')), { level: 9 }).length;
}

function release({ build, publish }) {
  if (publish && run('git', ['status', '--porcelain']) !== '') {
    console.error('There are changes that are not committed. Commit them first.');
    process.exit(1);
  }
  if (build) run('node', ['tools/build.mjs'], { stdio: 'inherit' });
  rmSync(out, { recursive: true, force: true });
  const packed = packAll();
  const versions = new Set(packed.map(({ version }) => version));
  for (const { name, version, size, unpackedSize, entryCount } of packed)
    console.log(
      `${`${name}@${version}`.padEnd(26)} ${kilobytes(size)} packed, ${kilobytes(unpackedSize)} installed, ${entryCount} files`,
    );
  const client = clientBytes();
  const hushrec = packed.at(-1).unpackedSize;
  console.log(`client in a page: ${client} bytes compressed (at most ${mostBytes.client})`);
  const problems = [
    versions.size > 1 && `The packages have different versions: ${[...versions].join(', ')}.`,
    client > mostBytes.client && `The client is too large: ${client} bytes.`,
    hushrec > mostBytes.hushrec && `hushrec is too large: ${hushrec} bytes.`,
  ].filter(Boolean);
  if (problems.length > 0) {
    console.error(problems.join('\n'));
    process.exit(1);
  }
  if (!publish) {
    console.log('Packed into release/. Nothing was published; --publish does.');
    return;
  }
  for (const { tarball } of packed)
    run('npm', ['publish', tarball, '--access', 'public'], { stdio: 'inherit' });
}

const kilobytes = (bytes) => `${(bytes / 1000).toFixed(0).padStart(6)} kB`;

if (process.argv[1] === fileURLToPath(import.meta.url))
  release({ build: !process.argv.includes('--packed'), publish: process.argv.includes('--publish') });
