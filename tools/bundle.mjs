// Makes what two of the published packages hold: `hushrec` (apps/cli/bundle: the command line and the library
// with every package of this repository they use) and `@hushrec/client` (apps/client/bundle: the browser
// client). Third-party code is bundled with its licences, apart from what package.json names as optional.
// Sources are taken as they are, so source maps lead to the TypeScript, which they hold.
//
//   node tools/bundle.mjs [hushrec|client]
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { browserBundle } from './browser-bundle.mjs';
import { bundleRareModels, rareModelsOnDemand } from './client-bundle.mjs';
import { licences } from './licences.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Where a file of this repository is named by its place: threads, processes, the page, package.json. */
const placePattern = /new URL\(\s*'(\.[^']*)',\s*import\.meta\.url\s*\)/g;
const json = (file) => JSON.parse(readFileSync(file, 'utf8'));

/** @param folder what becomes the package: gets `bundle/` and THIRD-PARTY.txt */
export async function bundleHushrec(folder = join(root, 'apps/cli'), { sourcemap = true } = {}) {
  const { optionalDependencies = {}, peerDependencies = {} } = json(join(root, 'apps/cli/package.json'));
  const external = [...Object.keys(optionalDependencies), ...Object.keys(peerDependencies)];
  const out = join(folder, 'bundle');
  rmSync(out, { recursive: true, force: true });
  const places = loadedByPlace();
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: {
      main: 'apps/cli/src/main.ts',
      index: 'apps/cli/src/index.ts',
      plugin: 'apps/cli/src/plugin.ts',
      ...Object.fromEntries(places.modules),
    },
    outdir: out,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    chunkNames: 'part-[hash]',
    sourcemap,
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    // Bundled CommonJS (commander, hono's node server) asks for Node's own modules by `require`.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);",
    },
    external: ['@hushrec/papers/experiments'],
    plugins: [ownSources(places), optionalParts(external)],
  });
  for (const folder of places.folders)
    cpSync(folder, join(out, basename(folder)), {
      recursive: true,
      filter: (file) => !file.endsWith('.map'),
    });
  for (const door of ['index', 'plugin'])
    copyTypes(`apps/cli/dist/${door}.d.ts`, join(out, 'types'), external, `${door}.d.ts`);
  writeFileSync(join(folder, 'THIRD-PARTY.txt'), licences('bundle/', root, [metafile]));
}

export async function bundleClient() {
  const out = join(root, 'apps/client/bundle');
  rmSync(out, { recursive: true, force: true });
  await build({
    absWorkingDir: root,
    entryPoints: { 'hushrec-client': 'apps/page/src/client.ts' },
    outdir: out,
    // What only pages without a secure context need is a file of its own.
    splitting: true,
    chunkNames: 'hushrec-[name]',
    ...browserBundle,
    sourcemap: true,
    plugins: [rareModelsOnDemand(), ownSources()],
  });
  await bundleRareModels(root, out, { ...browserBundle, sourcemap: true });
  // Nothing that starts threads may be left in it: a page has one file.
  if (readFileSync(join(out, 'hushrec-client.js'), 'utf8').includes('import.meta'))
    throw new Error('The client loads other files by their place.');
  copyTypes('apps/page/dist/client.d.ts', join(out, 'types'), []);
}

/**
 * Packages of this repository are taken from their sources; what is loaded by place is found in the bundle's
 * folder.
 */
function ownSources(places) {
  return {
    name: 'own-sources',
    setup(builder) {
      builder.onResolve({ filter: /^@hushrec\// }, ({ path }) => {
        const file = sourceOf(path);
        return file === undefined ? undefined : { path: file };
      });
      if (places === undefined) return;
      builder.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (path.includes('node_modules')) return undefined;
        const contents = readFileSync(path, 'utf8').replace(placePattern, (whole, target) => {
          const place = placeOf(path, target);
          if (basename(place) === 'package.json') return `new URL('../package.json', import.meta.url)`;
          const name = [...places.modules].find(([, file]) => resolve(root, file) === place)?.[0];
          if (name !== undefined) return `new URL('./${name}.js', import.meta.url)`;
          if (places.folders.includes(place)) return `new URL('./${basename(place)}', import.meta.url)`;
          throw new Error(`${relative(root, path)}: ${whole} has no place in the bundle.`);
        });
        return { contents, loader: 'ts' };
      });
    },
  };
}

/**
 * A part that may be missing is loaded when it is first used, and whoever lacks it is told what to install.
 * Dynamic imports are left alone: they stand where the code itself knows what to do without the part.
 */
function optionalParts(names) {
  return {
    name: 'optional-parts',
    setup(builder) {
      builder.onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
        if (!names.includes(path)) return undefined;
        return kind === 'dynamic-import' ? { path, external: true } : { path, namespace: 'optional-part' };
      });
      builder.onLoad({ filter: /.*/, namespace: 'optional-part' }, ({ path }) => ({
        loader: 'js',
        resolveDir: root,
        contents: `
          import { existsSync } from 'node:fs';
          import { createRequire } from 'node:module';
          import { fileURLToPath } from 'node:url';
          // Packages installed with --global lie in no project.
          const [project, inside] = fileURLToPath(import.meta.url).split(/[\\\\/]node_modules[\\\\/]/);
          const isGlobal = inside !== undefined && !existsSync(project + '/package.json');
          let part;
          function load() {
            try {
              part ??= createRequire(import.meta.url)('${path}');
            } catch (cause) {
              if (cause.code !== 'MODULE_NOT_FOUND') throw cause;
              throw Object.assign(new Error('This needs ${path}, an optional part that is not installed. Run: npm install ' + (isGlobal ? '--global ' : '') + '${path}', { cause }), { kind: 'usage' });
            }
            return part;
          }
          export default new Proxy(function () {}, {
            get: (_, key) => load()[key],
            construct: (_, args) => Reflect.construct(load(), args),
            apply: (_, self, args) => Reflect.apply(load(), self, args),
          });`,
      }));
    },
  };
}

/** `@hushrec/model/folder` → packages/model/src/folder.ts; undefined for what is not bundled. */
function sourceOf(specifier) {
  const [, name, part = 'index'] = /^@hushrec\/([a-z-]+)(?:\/([a-z-]+))?$/.exec(specifier) ?? [];
  if (name === undefined) return undefined;
  return ['packages', 'apps']
    .map((group) => join(root, group, name, 'src', `${part}.ts`))
    .find((file) => existsSync(file));
}

/**
 * A place named in a source file: a source file itself (its compiled form is what is named), package.json, or
 * a folder.
 */
function placeOf(file, target) {
  const place = resolve(dirname(file), target);
  return place.endsWith('.js') ? place.replace(/\/(dist|src)\//, '/src/').replace(/\.js$/, '.ts') : place;
}

/** Everything that sources name by place: modules become entry points of their own, folders are copied. */
function loadedByPlace() {
  const modules = new Map([['main', 'apps/cli/src/main.ts']]);
  const folders = [];
  for (const group of ['packages', 'apps']) {
    for (const name of readdirSync(join(root, group))) {
      const sources = join(root, group, name, 'src');
      if (!existsSync(sources) || name === 'testing') continue;
      for (const path of readdirSync(sources, { recursive: true, encoding: 'utf8' })) {
        if (!path.endsWith('.ts') || /\.test\.|(^|\/)testing\//.test(path)) continue;
        const file = join(sources, path);
        for (const [, target] of readFileSync(file, 'utf8').matchAll(placePattern)) {
          const place = placeOf(file, target);
          if (place.endsWith('.ts')) {
            const from = relative(root, place);
            if ([...modules.values()].includes(from)) continue;
            modules.set(
              from
                .replace(/^(packages|apps)\//, '')
                .replace('/src/', '/')
                .replaceAll('/', '-')
                .slice(0, -3),
              from,
            );
          } else if (basename(place) !== 'package.json') folders.push(place);
        }
      }
    }
  }
  return { modules, folders };
}

/** Copies the declarations that `entry` reaches, with imports between packages made relative. */
function copyTypes(entry, out, external, door = 'index.d.ts') {
  const placeIn = (file) =>
    join(
      out,
      relative(root, file)
        .replace(/^(packages|apps)\//, '')
        .replace('/dist/', '/'),
    );
  const waiting = [join(root, entry)];
  const seen = new Set(waiting);
  while (waiting.length > 0) {
    const file = waiting.pop();
    const text = readFileSync(file, 'utf8')
      .replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n')
      .replace(/(from\s*|import\(\s*|import\s+)'([^']+)'/g, (whole, before, specifier) => {
        const target = specifier.startsWith('.')
          ? resolve(dirname(file), specifier.replace(/\.js$/, '.d.ts'))
          : sourceOf(specifier)?.replace('/src/', '/dist/').replace(/\.ts$/, '.d.ts');
        if (target === undefined) {
          if (isBuiltin(specifier) || external.includes(specifier)) return whole;
          throw new Error(
            `${relative(root, file)} needs types of ${specifier}, which is not part of the package.`,
          );
        }
        if (!seen.has(target)) {
          seen.add(target);
          waiting.push(target);
        }
        const path = relative(dirname(placeIn(file)), placeIn(target)).replace(/\.d\.ts$/, '.js');
        return `${before}'${path.startsWith('.') ? path : `./${path}`}'`;
      });
    mkdirSync(dirname(placeIn(file)), { recursive: true });
    writeFileSync(placeIn(file), text);
  }
  const main = placeIn(join(root, entry));
  if (dirname(main) !== out)
    writeFileSync(join(out, door), `export * from './${relative(out, main).replace(/\.d\.ts$/, '.js')}';\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const only = process.argv[2];
  if (only !== 'client') await bundleHushrec();
  if (only !== 'hushrec') await bundleClient();
}
