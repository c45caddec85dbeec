// Builds everything: WebAssembly kernels, then all packages (tsc -b), then the browser bundles.
// `node tools/build.mjs --packages` stops before the browser bundles.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

function run(command, args) {
  // npx is a batch file on Windows, which only a shell can start.
  const shell = command === 'npx' && process.platform === 'win32';
  const result = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], shell });
  if (result.status !== 0) process.exit(result.status ?? 1);
}

/**
 * A kernel is `packages/<p>/assembly/<name>.build.json`: {"entry", "flags", "out"}; its WebAssembly is
 * embedded as base64 in the generated TypeScript file `out`, so that Node, workers and bundlers load it the
 * same way.
 */
function buildKernels() {
  const packages = readdirSync(join(root, 'packages')).filter((name) =>
    existsSync(join(root, 'packages', name, 'assembly')),
  );
  // Kernels of one package may use those of another.
  const sources = packages.flatMap((name) => {
    const folder = join(root, 'packages', name, 'assembly');
    return readdirSync(folder).map((file) => join(folder, file));
  });
  const newestSource = Math.max(...sources.map((file) => statSync(file).mtimeMs));
  for (const name of packages) {
    const folder = join(root, 'packages', name, 'assembly');
    for (const file of readdirSync(folder).filter((each) => each.endsWith('.build.json'))) {
      const { entry, flags, out } = JSON.parse(readFileSync(join(folder, file), 'utf8'));
      const target = join(root, 'packages', name, out);
      if (existsSync(target) && statSync(target).mtimeMs > newestSource) continue;
      const wasm = join(folder, '..', 'dist', file.replace('.build.json', '.wasm'));
      mkdirSync(dirname(wasm), { recursive: true });
      run('npx', ['--no-install', 'asc', join(folder, entry), '--outFile', wasm, ...flags]);
      const base64 = readFileSync(wasm).toString('base64');
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(
        target,
        `// Made by tools/build.mjs from assembly/${entry}.\nexport const wasmBase64 =\n  '${base64}';\n`,
      );
    }
  }
}

/** Links packages that are newer than what is installed: a new one needs no new installation. */
function linkPackages() {
  const links = join(root, 'node_modules/@hushrec');
  for (const name of readdirSync(join(root, 'packages')))
    if (existsSync(links) && !existsSync(join(links, name)))
      symlinkSync(join(root, 'packages', name), join(links, name), 'junction');
}

export function build({ browser = true } = {}) {
  linkPackages();
  buildKernels();
  run('npx', ['--no-install', 'tsc', '-b']);
  run('node', [join(root, 'tools/worker-bundle.mjs')]);
  if (!browser) return;
  for (const name of ['page', 'take-part']) run('node', [join(root, `tools/${name}-bundle.mjs`)]);
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  build({ browser: !process.argv.includes('--packages') });
