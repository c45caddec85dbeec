// Cuts the page's fonts to the characters it needs. Run once; the results are in src/site/fonts, so that a
// build needs neither the fonts' packages nor a font tool.
//
//   npm install --no-save @fontsource-variable/inter@5.3.0 @fontsource/newsreader@5.3.0 subset-font@2.9.0
//   node tools/subset-fonts.mjs
//
// Inter and Newsreader are under the SIL Open Font License 1.1 (src/site/fonts/OFL.txt).
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const from = createRequire(
  `${process.env.FONT_PACKAGES ?? fileURLToPath(new URL('..', import.meta.url))}/package.json`,
);
const { default: subsetFont } = await import(from.resolve('subset-font'));
const out = fileURLToPath(new URL('../apps/page/src/site/fonts/', import.meta.url));
const range = (first, last) =>
  String.fromCodePoint(...Array.from({ length: last - first + 1 }, (_, at) => first + at));
const latin = `${range(0x20, 0x7e)}${range(0xa0, 0xff)}–—‘’“”…−×÷→↑↓`;

async function cut(file, name, text, options = {}) {
  const bytes = await subsetFont(readFileSync(from.resolve(file)), text, {
    targetFormat: 'woff2',
    ...options,
  });
  writeFileSync(`${out}${name}`, bytes);
  console.log(`${name}: ${bytes.length} bytes`);
}
const weights = { variationAxes: { wght: { min: 400, max: 700 } } };
await cut('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2', 'inter.woff2', latin, weights);
await cut(
  '@fontsource-variable/inter/files/inter-greek-wght-normal.woff2',
  'inter-greek.woff2',
  'εδμσλΣΔ',
  weights,
);
// Titles in the languages of Central Europe and in Vietnamese: fetched only where a title needs them.
await cut(
  '@fontsource-variable/inter/files/inter-latin-ext-wght-normal.woff2',
  'inter-latin-ext.woff2',
  range(0x100, 0x17f) + range(0x218, 0x21b),
  weights,
);
await cut(
  '@fontsource-variable/inter/files/inter-vietnamese-wght-normal.woff2',
  'inter-vietnamese.woff2',
  `ĂăĐđĨĩŨũƠơƯư${range(0x1ea0, 0x1ef9)}₫`,
  weights,
);
await cut('@fontsource/newsreader/files/newsreader-latin-500-normal.woff2', 'newsreader.woff2', latin);
