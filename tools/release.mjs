// Packs every published package into release/, a wheel for Python among them, and prints what each weighs.
// Publishes nothing unless told to:
//
//   npm run release                  build, pack, check
//   npm run release -- --packed      the same without the build
//   npm run release -- --publish     then `npm publish` of each tarball, in the order of their dependencies
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { bundleHushrec } from './bundle.mjs';

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
export const mostBytes = { client: 8_000, hushrec: 15_000_000, wheel: 12_000_000 };

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

/**
 * Packs the wheel of python/ for this platform: the command's bundle is in it, with the parts that are
 * optional in npm (libsql for the ledger, pg).
 *
 * @param python a Python with pip; hatchling is fetched where it has none
 * @returns the wheel's path and size, or why there is none
 */
export async function packWheel(into = out, python = process.env['HUSHREC_PYTHON'] ?? 'python3') {
  const platform = wheelPlatform();
  if (platform === undefined) return { why: `libsql has no code for ${process.platform} ${process.arch}` };
  const isThere = (module) => spawnSync(python, ['-c', `import ${module}`]).status === 0;
  if (!isThere('pip')) return { why: `${python} with pip is missing; name one in HUSHREC_PYTHON` };
  const stage = mkdtempSync(join(tmpdir(), 'hushrec-wheel-'));
  try {
    cpSync(join(root, 'python'), stage, { recursive: true });
    cpSync(join(root, 'LICENSE'), join(stage, 'LICENSE'));
    const command = join(stage, 'src/hushrec/node');
    await bundleHushrec(command, { sourcemap: false });
    rmSync(join(command, 'bundle/types'), { recursive: true });
    for (const part of ['bin', 'package.json'])
      cpSync(join(root, 'apps/cli', part), join(command, part), { recursive: true });
    copyInstalled(['libsql', `@libsql/${platform.libsql}`, 'pg'], join(command, 'node_modules'));
    const made = spawnSync(
      python,
      [
        '-m',
        'pip',
        'wheel',
        '--quiet',
        '--no-deps',
        '--disable-pip-version-check',
        '--wheel-dir',
        into,
        stage,
      ].concat(isThere('hatchling') ? ['--no-build-isolation'] : []),
      { cwd: stage, encoding: 'utf8', env: { ...process.env, HUSHREC_WHEEL_PLATFORM: platform.tag } },
    );
    if (made.status !== 0) return { why: made.stderr.trim().split('\n').at(-1) };
    const wheel = join(
      into,
      readdirSync(into).find((name) => name.endsWith('.whl')),
    );
    return { wheel, size: statSync(wheel).size };
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** The platform as Python and as libsql call it. The oldest glibc is that of Node's own wheel. */
function wheelPlatform() {
  const isMusl = process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime;
  const cpu = { x64: 'x86_64', arm64: 'aarch64' }[process.arch];
  const found = {
    linux: isMusl
      ? { tag: `musllinux_1_2_${cpu}`, libsql: `linux-${process.arch}-musl` }
      : { tag: `manylinux_2_28_${cpu}`, libsql: `linux-${process.arch}-gnu` },
    darwin: {
      tag: `macosx_13_0_${process.arch === 'arm64' ? 'arm64' : cpu}`,
      libsql: `darwin-${process.arch}`,
    },
    win32: { tag: 'win_amd64', libsql: 'win32-x64-msvc' },
  }[process.platform];
  return found && existsSync(join(root, 'node_modules/@libsql', found.libsql)) ? found : undefined;
}

/** Packages of node_modules with all that they require. */
function copyInstalled(names, into) {
  const waiting = [...names];
  const seen = new Set(waiting);
  while (waiting.length > 0) {
    const name = waiting.pop();
    const folder = join(root, 'node_modules', name);
    const isNeeded = (file) => !/\.map$|\.d\.ts$|\.test\.|[\\/]src$/.test(file);
    cpSync(folder, join(into, name), { recursive: true, filter: isNeeded });
    const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    for (const each of Object.keys(dependencies))
      if (!seen.has(each) && !existsSync(join(folder, 'node_modules', each))) {
        seen.add(each);
        waiting.push(each);
      }
  }
}

/** Bytes of the client as a page loads it. */
export function clientBytes() {
  return gzipSync(readFileSync(join(root, 'apps/client/bundle/hushrec-client.js')), { level: 9 }).length;
}

async function release({ build, publish }) {
  if (publish && run('git', ['status', '--porcelain']) !== '') {
    console.error('There are changes that are not committed. Commit them first.');
    process.exit(1);
  }
  if (build) run('node', ['tools/build.mjs'], { stdio: 'inherit' });
  rmSync(out, { recursive: true, force: true });
  const packed = packAll();
  const versions = new Set([...packed.map(({ version }) => version), pythonVersion()]);
  for (const { name, version, size, unpackedSize, entryCount } of packed)
    console.log(
      `${`${name}@${version}`.padEnd(26)} ${kilobytes(size)} packed, ${kilobytes(unpackedSize)} installed, ${entryCount} files`,
    );
  // What every package is made of, for whoever must know before installing.
  const materials = run('npm', [
    'sbom',
    '--sbom-format=cyclonedx',
    '--omit=dev',
    '--package-lock-only',
    '--loglevel=error',
  ]);
  writeFileSync(join(out, 'sbom.cyclonedx.json'), materials);
  const client = clientBytes();
  const hushrec = packed.at(-1).unpackedSize;
  const wheel = await packWheel();
  console.log(
    wheel.why === undefined
      ? `${basename(wheel.wheel)} ${kilobytes(wheel.size)} (at most ${kilobytes(mostBytes.wheel).trim()})`
      : `No wheel for Python: ${wheel.why}.`,
  );
  console.log(`client in a page: ${client} bytes compressed (at most ${mostBytes.client})`);
  const problems = [
    versions.size > 1 && `The packages have different versions: ${[...versions].join(', ')}.`,
    client > mostBytes.client && `The client is too large: ${client} bytes.`,
    hushrec > mostBytes.hushrec && `hushrec is too large: ${hushrec} bytes.`,
    wheel.size > mostBytes.wheel && `The wheel is too large: ${wheel.size} bytes.`,
  ].filter(Boolean);
  if (problems.length > 0) {
    console.error(problems.join('\n'));
    process.exit(1);
  }
  if (!publish) {
    console.log(
      'Packed into release/. Nothing was published; --publish does (a wheel goes by `twine upload`).',
    );
    return;
  }
  for (const { tarball } of packed)
    run('npm', ['publish', tarball, '--access', 'public'], { stdio: 'inherit' });
}

/** The version in python/pyproject.toml. */
function pythonVersion() {
  return /^version = "(.*)"$/m.exec(readFileSync(join(root, 'python/pyproject.toml'), 'utf8'))[1];
}

const kilobytes = (bytes) => `${(bytes / 1000).toFixed(0).padStart(6)} kB`;

if (process.argv[1] === fileURLToPath(import.meta.url))
  await release({ build: !process.argv.includes('--packed'), publish: process.argv.includes('--publish') });
