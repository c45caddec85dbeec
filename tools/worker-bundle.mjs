// Bundles what runs inside executors into one file, WebAssembly included:
// packages/cluster/dist/bundle/hushrec-worker.mjs. Takes the built JavaScript of the packages; importers of
// files and databases, which a worker never reaches, are left out.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('../packages/cluster/', import.meta.url));

const withoutImporters = {
  name: 'without-importers',
  setup(bundler) {
    bundler.onResolve({ filter: /^(pg$|hyparquet|libsql|@duckdb\/)/ }, ({ path }) => ({
      path,
      namespace: 'left-out',
      sideEffects: false,
    }));
    bundler.onResolve({ filter: /^(\.|@hushrec\/)/ }, async ({ path, pluginData, ...from }) => {
      if (pluginData === 'resolved') return undefined;
      const { resolveDir, kind, importer } = from;
      const found = await bundler.resolve(path, { resolveDir, kind, importer, pluginData: 'resolved' });
      return found.path.includes('/packages/ratings/') ? { path: found.path, sideEffects: false } : undefined;
    });
    bundler.onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({ contents: 'module.exports = {};' }));
  },
};

export async function bundleWorker(outfile = `${here}dist/bundle/hushrec-worker.mjs`) {
  await build({
    // With what methods of papers ask; `main` alone knows what the product's own ones do.
    stdin: {
      contents: `import ${JSON.stringify(`${here}../../papers/dist/statistics.js`)};\nimport './worker/main.js';`,
      resolveDir: `${here}dist`,
    },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [withoutImporters],
  });
  return outfile;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleWorker();
