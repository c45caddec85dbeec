// Bundles the browser's part: the page (dist/public) and the client library (dist/client). Called by tools/build.mjs
// after the packages are built; takes the built JavaScript of the packages, so types were checked already.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chartStyle } from '@hushrec/report';
import { build, transform } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
const site = `${here}dist/public`;
const shared = {
  bundle: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
  conditions: ['browser'],
};

rmSync(site, { recursive: true, force: true });
rmSync(`${here}dist/client`, { recursive: true, force: true });
mkdirSync(site, { recursive: true });
await build({
  ...shared,
  entryPoints: { page: `${here}src/site/main.ts` },
  outdir: site,
  splitting: true,
  chunkNames: 'chunk-[hash]',
});
const { code: style } = await transform(`${readFileSync(`${here}src/site/page.css`, 'utf8')}${chartStyle}`, {
  loader: 'css',
  minify: true,
});
writeFileSync(`${site}/page.css`, style);
for (const name of ['index.html', 'icon.svg']) copyFileSync(`${here}src/site/${name}`, `${site}/${name}`);
await build({
  ...shared,
  entryPoints: { 'hushrec-client': `${here}src/client.ts` },
  outdir: `${here}dist/client`,
  // What only pages without a secure context need is a file of its own.
  splitting: true,
  chunkNames: 'hushrec-[name]',
});
for (const name of readdirSync(`${here}dist/client`))
  copyFileSync(`${here}dist/client/${name}`, `${site}/${name}`);
