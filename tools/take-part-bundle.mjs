// Bundles what a page needs to take part in a run into one file without dependencies:
// packages/federate/dist/page/hushrec-take-part.js. Takes the built JavaScript of the packages. Importers and
// files, which a page never reaches, are left out as empty modules.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { browserBundle } from './browser-bundle.mjs';

const here = fileURLToPath(new URL('../packages/federate/', import.meta.url));

/** Node's own modules and native packages: named by code that a page does not run. */
const elsewhere = {
  name: 'elsewhere',
  setup(bundler) {
    bundler.onResolve({ filter: /^(node:|pg$|hyparquet|libsql|@duckdb\/)/ }, ({ path }) => ({
      path,
      namespace: 'elsewhere',
      sideEffects: false,
    }));
    // Modules of the importers have no effect but their exports: those that nothing uses are dropped.
    bundler.onResolve({ filter: /^(\.|@hushrec\/ratings)/ }, async ({ path, pluginData, ...from }) => {
      if (pluginData === 'resolved') return undefined;
      const { resolveDir, kind, importer } = from;
      const found = await bundler.resolve(path, { resolveDir, kind, importer, pluginData: 'resolved' });
      return found.path.includes('/packages/ratings/') ? { path: found.path, sideEffects: false } : undefined;
    });
    bundler.onLoad({ filter: /.*/, namespace: 'elsewhere' }, () => ({
      contents: 'module.exports = {};',
      loader: 'js',
    }));
  },
};

export async function bundleTakePart(outfile = `${here}dist/page/hushrec-take-part.js`) {
  const { metafile } = await build({
    entryPoints: [`${here}dist/browser.js`],
    // Devices take part with any method that protects people, the papers' among them.
    inject: [`${here}../../papers/dist/register-user-level.js`],
    outfile,
    ...browserBundle,
    plugins: [elsewhere],
    metafile: true,
  });
  return { outfile, metafile };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleTakePart();
