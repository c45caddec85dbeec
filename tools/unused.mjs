// What nothing uses: exports, dependencies and settings. `node tools/unused.mjs` prints them; `tools/unused.test.ts` holds that there are none.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const codeFolders = ['packages', 'apps', 'experiments', 'examples', 'tools', 'benchmarks'];
const isCode = (name) => /\.(?:ts|tsx|mjs|js)$/.test(name) && !/\.d\.ts$|\.generated\.ts$/.test(name);
const isTest = (path) => /\.test\.|\.test-|\.setup\.ts$|^packages\/testing\//.test(path);

/** Source files below the root as { path, text }: no builds, no kernels in AssemblyScript. */
export function sourceFiles(root) {
  const files = [];
  const walk = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!['node_modules', 'dist', 'assembly', 'results', 'public'].includes(entry.name) || /src\/public$/.test(path))
          walk(path);
      } else if (isCode(entry.name)) files.push({ path: relative(root, path), text: readFileSync(path, 'utf8') });
    }
  };
  for (const folder of codeFolders) walk(join(root, folder));
  return files;
}

/** Code without comments. Strings stay: tasks of threads are named in them. */
export function withoutComments(text) {
  return text.replace(/\/\*[\s\S]*?\*\//g, ' ').replace(/(^|[^:'"`\\])\/\/.*$/gm, '$1');
}

const declaration =
  /^export\s+(?:declare\s+)?(?:(?:abstract\s+)?(class)|(?:async\s+)?(function)\*?|(const|let)|(interface|type|enum))\s+([A-Za-z_$][\w$]*)/gm;

/** Names that a file exports by declaration, with whether they are values or types alone. */
function exportsOf(code) {
  return [...code.matchAll(declaration)].map(([, , , , type, name]) => ({ name, isType: type !== undefined }));
}

/**
 * Exports that no code but tests uses, and values that nothing outside their file uses, not even a test. Types that their own file names
 * are part of what it exports, and errors are for callers to catch.
 */
export function unusedExports(files) {
  const seen = files.map(({ path, text }) => {
    const code = withoutComments(text);
    // Handing a name on is no use of it.
    const body = code.replace(/^export\s+(?:type\s+)?(?:\*|\{[^}]*\})\s+from\s+'.*$/gm, '');
    return { path, code, names: new Set(body.match(/[A-Za-z_$][\w$]*/g)) };
  });
  const unused = [];
  for (const { path, code } of seen) {
    if (isTest(path) || !/\/src\//.test(path)) continue;
    for (const { name, isType } of exportsOf(code)) {
      const users = seen.filter((other) => other.path !== path && other.names.has(name));
      if (users.some((other) => !isTest(other.path))) continue;
      const own = code.match(new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`, 'g'))?.length ?? 0;
      if (own === 1) unused.push(`${path}: ${name} is used by ${users.length > 0 ? 'tests alone' : 'nobody'}`);
      else if (users.length === 0 && !isType && !/Error$/.test(name))
        unused.push(`${path}: ${name} is exported and used in its own file alone`);
    }
  }
  return unused;
}

/** Dependencies of workspaces that none of their own files name. */
export function unusedDependencies(root, files) {
  const unused = [];
  const manifests = ['packages', 'apps'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
  );
  for (const workspace of [...manifests, 'experiments']) {
    let manifest;
    try {
      manifest = JSON.parse(readFileSync(join(root, workspace, 'package.json'), 'utf8'));
    } catch {
      continue;
    }
    const own = files.filter(({ path }) => path.startsWith(`${workspace}/`));
    for (const name of Object.keys(manifest.dependencies ?? {})) {
      const named = new RegExp(`['"]${name.replace('/', '\\/')}(?:['"/])`);
      if (!own.some(({ path, text }) => !isTest(path) && named.test(text))) unused.push(`${workspace}: ${name}`);
    }
  }
  return unused;
}

/** Settings of methods that the code names where they are declared and nowhere else. */
export function unusedSettings(methods, files) {
  const code = files
    .filter(({ path }) => path.startsWith('packages/') && !isTest(path))
    .map(({ text }) => withoutComments(text))
    .join('\n');
  const names = new Set(methods.flatMap(({ settings }) => Object.keys(settings)));
  return [...names].filter((name) => {
    // A declaration is `name: {` or `name,` or `name: other.name,` in a schema; a use has it behind a dot or between braces of a pattern.
    const uses = code.match(new RegExp(`(?:settings|\\w*Settings|\\)|question|published|\\})\\??\\.${name}(?![\\w$])|\\{[^{}]*(?<![\\w$.])${name}(?![\\w$:])[^{}]*\\}\\s*(?::[^=]+)?=`, 'g'));
    return uses === null;
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const files = sourceFiles(root);
  const { methods } = await import(pathToFileURL(join(root, 'packages/factorize/dist/index.js')).href);
  for (const [what, found] of Object.entries({
    'exports that nothing but tests uses': unusedExports(files),
    'dependencies that nothing imports': unusedDependencies(root, files),
    'settings that nothing reads': unusedSettings(methods, files),
  }))
    console.log(`${found.length} ${what}${found.length === 0 ? '' : `:\n  ${found.join('\n  ')}`}`);
}
