// Bundles the browser's part: the page (dist/public) and the client library (dist/client). Called by
// tools/build.mjs after the packages are built; takes the built JavaScript of the packages, so types were
// checked already.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chartStyle } from '@hushrec/report';
import { build, transform } from 'esbuild';
import { browserBundle } from './browser-bundle.mjs';
import { bundleRareModels, rareModelsOnDemand } from './client-bundle.mjs';
import { licences } from './licences.mjs';
import { bundleTakePart } from './take-part-bundle.mjs';

const here = fileURLToPath(new URL('../apps/page/', import.meta.url));
const site = `${here}dist/public`;

rmSync(site, { recursive: true, force: true });
rmSync(`${here}dist/client`, { recursive: true, force: true });
mkdirSync(site, { recursive: true });
const page = await build({
  ...browserBundle,
  entryPoints: { page: `${here}src/site/main.ts` },
  outdir: site,
  splitting: true,
  chunkNames: 'chunk-[hash]',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  plugins: [straightImports()],
  metafile: true,
});
// Taking part has a document of its own, under a policy of its own; the protocol is a file that other sites
// use as well.
await build({
  ...browserBundle,
  entryPoints: { 'take-part': `${here}src/site/take-part/main.ts` },
  outdir: site,
  plugins: [
    {
      name: 'protocol beside it',
      setup: (bundler) =>
        bundler.onResolve({ filter: /^@hushrec\/federate\/browser$/ }, () => ({
          path: './hushrec-take-part.js',
          external: true,
        })),
    },
  ],
});
const { metafile: ofTakePart } = await bundleTakePart(`${site}/hushrec-take-part.js`);
writeFileSync(
  `${site}/THIRD-PARTY.txt`,
  licences('the scripts of this page', process.cwd(), [page.metafile, ofTakePart]),
);
const styleOf = async (...parts) => {
  const { code } = await transform(parts.join('').replaceAll('url(noise.svg)', noiseTile()), {
    loader: 'css',
    minify: true,
  });
  return code;
};
const read = (name) => readFileSync(`${here}src/site/${name}`, 'utf8');
writeFileSync(`${site}/page.css`, await styleOf(read('page.css'), chartStyle));
// What only one view needs comes with it.
writeFileSync(`${site}/try-it.css`, await styleOf(read('try-it/try-it.css')));
const frame = read('document.html');
for (const [name, words] of Object.entries({
  'index.html': {
    title: 'Hushrec',
    description:
      "Recommendations worked out on your device from a model that keeps everyone's history private.",
    script: 'page.js',
    home: '#/overview',
    board: '',
  },
  'take-part.html': {
    title: 'Take part · Hushrec',
    description: 'Help to work out a model without giving your ratings to anyone.',
    script: 'take-part.js',
    home: './',
    // The server writes the run's address here.
    board: '\n    <meta name="hushrec-board" content="" />',
  },
}))
  writeFileSync(
    `${site}/${name}`,
    frame.replace(/\{\{(\w+)\}\}/g, (_, word) => words[word]),
  );
// The fonts' licence (OFL 1.1, condition 2) goes wherever they go.
for (const name of [
  'icon.svg',
  'fonts/inter.woff2',
  'fonts/inter-greek.woff2',
  'fonts/inter-latin-ext.woff2',
  'fonts/inter-vietnamese.woff2',
  'fonts/newsreader.woff2',
  'fonts/OFL.txt',
])
  copyFileSync(`${here}src/site/${name}`, `${site}/${basename(name)}`);

await build({
  ...browserBundle,
  entryPoints: { 'hushrec-client': `${here}src/client.ts` },
  outdir: `${here}dist/client`,
  // What only pages without a secure context need is a file of its own.
  splitting: true,
  chunkNames: 'hushrec-[name]',
  plugins: [rareModelsOnDemand()],
});
await bundleRareModels(`${here}../..`, `${here}dist/client`, browserBundle);
for (const name of readdirSync(`${here}dist/client`))
  copyFileSync(`${here}dist/client/${name}`, `${site}/${name}`);

/**
 * Leads imports of a package's index to the files that have the names. The bundler puts everything an index
 * mentions into one shared piece; this way each view loads what it uses.
 */
function straightImports() {
  const require = createRequire(`${here}package.json`);
  const places = new Map();
  const placesOf = async (name) => {
    const index = require.resolve(name);
    const files = [...readFileSync(index, 'utf8').matchAll(/ from '(\.[^']+)'/g)].map(([, file]) =>
      join(dirname(index), file),
    );
    const names = await Promise.all(
      files.map(async (file) => Object.keys(await import(pathToFileURL(file))).map((each) => [each, file])),
    );
    return new Map(names.flat());
  };
  const straight = async (text) => {
    const imports = [...text.matchAll(/^import \{([^}]*)\} from '(@hushrec\/[a-z-]+(?:\/[a-z-]+)?)';$/gm)];
    for (const [whole, list, name] of imports) {
      if (!places.has(name)) places.set(name, placesOf(name));
      const known = await places.get(name);
      const names = list
        .split(',')
        .map((each) => each.trim())
        .filter((each) => each !== '' && !each.startsWith('type '));
      // A module that is no index has its names itself.
      if (names.some((each) => !known.has(each.split(' ')[0]))) continue;
      const lines = names.map(
        (each) => `import { ${each} } from ${JSON.stringify(known.get(each.split(' ')[0]))};`,
      );
      text = text.replace(whole, lines.join(' '));
    }
    return text;
  };
  return {
    name: 'straight-imports',
    setup({ onLoad }) {
      onLoad({ filter: /\/(apps\/page\/src|packages\/[a-z-]+\/dist)\/.*\.(js|tsx?)$/ }, async ({ path }) => ({
        contents: await straight(await readFile(path, 'utf8')),
        loader: extname(path).slice(1),
      }));
    },
  };
}

/**
 * A tile of dots, the same at every build and part of the style sheet: the page cuts it out of its own colour
 * of noise.
 */
function noiseTile() {
  let state = 11;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  /** Dots by radius: a path of points with round caps is shorter than as many circles. */
  const points = new Map();
  for (let dot = 0; dot < 90; dot++) {
    const point = `M${(2 + random() * 156).toFixed(1)} ${(2 + random() * 44).toFixed(1)}h0`;
    const radius = Number((0.6 + random() * 0.9).toFixed(1));
    points.set(radius, (points.get(radius) ?? '') + point);
  }
  const paths = [...points].map(
    ([radius, path]) => `<path stroke-width='${Number((2 * radius).toFixed(1))}' d='${path}'/>`,
  );
  const tile = `<svg xmlns='http://www.w3.org/2000/svg' width='160' height='48' stroke='red' stroke-linecap='round'>${paths.join('')}</svg>`;
  return `url("data:image/svg+xml,${tile.replaceAll('<', '%3C').replaceAll('>', '%3E')}")`;
}
