// What nothing uses: exports, dependencies and settings. `node tools/unused.mjs` prints them;
// `tools/unused.test.ts` holds that there are none.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const codeFolders = ['packages', 'apps', 'experiments', 'examples', 'tools', 'benchmarks'];
const isCode = (name) => /\.(?:ts|tsx|mjs|js)$/.test(name) && !/\.d\.ts$|\.generated\.ts$/.test(name);
/** Exports that are there for tests or for users of a package that has no page of its own yet, and why. */
export const keptForOthers = {
  memoryOutcomeStore: 'outcomes without a file, for tests',
  blocksOf: 'rows in blocks, for tests of the engine from files',
  packSymmetric: 'the way back of unpackSymmetric, for tests',
};
/** Dependencies that are not imported by name, and why. */
export const keptDependencies = { 'apps/server: zod': 'peer of @hono/zod-openapi, which hands it on' };

const isTest = (path) => /\.test\.|\.test-|\.setup\.ts$|^packages\/testing\//.test(path);

/** Source files below the root as { path, text }: no builds, no kernels in AssemblyScript. */
export function sourceFiles(root) {
  const files = [];
  const walk = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (
          !['node_modules', 'dist', 'bundle', 'assembly', 'results', 'public'].includes(entry.name) ||
          /src\/public$/.test(path)
        )
          walk(path);
      } else if (isCode(entry.name))
        files.push({ path: relative(root, path), text: readFileSync(path, 'utf8') });
    }
  };
  for (const folder of codeFolders) walk(join(root, folder));
  return files;
}

/** Code without comments, line for line. Strings stay: tasks of threads are named in them. */
export function withoutComments(text) {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
    .replace(/(^|[^:'"`\\])\/\/.*$/gm, '$1');
}

const declaration =
  /^export\s+(?:declare\s+)?(?:(?:abstract\s+)?(class)|(?:async\s+)?(function)\*?|(const|let)|(interface|type|enum))\s+([A-Za-z_$][\w$]*)/gm;

/** Names that a file exports by declaration, with whether they are values or types alone. */
function exportsOf(code) {
  return [...code.matchAll(declaration)].map(([, , , , type, name]) => ({
    name,
    isType: type !== undefined,
  }));
}

/**
 * Exports that no code but tests uses, and values that nothing outside their file uses, not even a test.
 * Types that their own file names are part of what it exports, errors are for callers to catch, and what
 * `described` names (the page about the library) is for its users.
 */
export function unusedExports(files, described = '') {
  const forUsers = new Set(described.match(/[A-Za-z_$][\w$]*/g));
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
      if (forUsers.has(name)) continue;
      const users = seen.filter(
        (other) => other.path !== path && other.path !== 'tools/unused.mjs' && other.names.has(name),
      );
      if (users.some((other) => !isTest(other.path))) continue;
      const own =
        code.match(new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`, 'g'))?.length ?? 0;
      if (own === 1)
        unused.push(`${path}: ${name} is used by ${users.length > 0 ? 'tests alone' : 'nobody'}`);
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
      // `testing` is all for tests; elsewhere what tests import is not what the package needs.
      if (
        !own.some(({ path, text }) => (!isTest(path) || workspace === 'packages/testing') && named.test(text))
      )
        unused.push(`${workspace}: ${name}`);
    }
  }
  return unused;
}

/** What is left of `found` without what is kept for a reason, and reasons for what nobody keeps any more. */
export function withoutKept(found, kept) {
  const names = Object.keys(kept);
  const nameOf = (line) => names.find((name) => line === name || line.includes(`: ${name} is `));
  const stale = names.filter((name) => !found.some((line) => nameOf(line) === name));
  return [
    ...found.filter((line) => nameOf(line) === undefined),
    ...stale.map((name) => `${name} is used now: leave it out of the list of what is kept`),
  ];
}

/** Settings of methods that the code names where they are declared and nowhere else. */
export function unusedSettings(methods, files) {
  const code = files
    .filter(({ path }) => path.startsWith('packages/') && !isTest(path))
    .map(({ text }) => withoutComments(text))
    .join('\n');
  // A use has the name behind a dot, or takes it out of an object by a pattern.
  const read = new Set([...code.matchAll(/\.(\w+)/g)].map(([, name]) => name));
  for (const [, pattern] of code.matchAll(/\{([^{}]*)\}\s*(?:=(?![=>])|:\s*[\w<>]+\s*[,)=])/g))
    for (const name of pattern.match(/\w+/g) ?? []) read.add(name);
  return [...new Set(methods.flatMap(({ settings }) => Object.keys(settings)))].filter(
    (name) => !read.has(name),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const files = sourceFiles(root);
  const { methods } = await import(pathToFileURL(join(root, 'packages/factorize/dist/index.js')).href);
  for (const [what, found] of Object.entries({
    'exports that nothing but tests uses': withoutKept(
      unusedExports(files, readFileSync(join(root, 'docs/library.md'), 'utf8')),
      keptForOthers,
    ),
    'dependencies that nothing imports': withoutKept(unusedDependencies(root, files), keptDependencies),
    'settings that nothing reads': unusedSettings(methods, files),
  }))
    console.log(`${found.length} ${what}${found.length === 0 ? '' : `:\n  ${found.join('\n  ')}`}`);
}
