// How many lines of code stand in more than one file: `node tools/repeated-code.mjs` prints the places;
// `tools/unused.test.ts` holds the ceiling.
import { fileURLToPath } from 'node:url';
import { sourceFiles, withoutComments } from './unused.mjs';

/** Lines that must be the same in a row to count as repeated. */
const RUN = 6;

/**
 * Lines of files that are part of a run of six or more equal lines in another file. Blank lines, comments,
 * imports, lists of exports and lines of brackets alone do not count, and white space does not tell lines
 * apart.
 */
export function repeatedLines(files) {
  const places = new Map();
  const lines = files.map(({ path, text }) => {
    const code = withoutComments(text).replace(/^(?:import|export (?:type )?\{)[\s\S]*?;$/gm, (found) =>
      found.replace(/[^\n]/g, ''),
    );
    const own = code
      .split('\n')
      .map((line, at) => ({ at: at + 1, key: line.replace(/\s+/g, ' ').trim() }))
      .filter(({ key }) => /\w/.test(key));
    for (let k = 0; k + RUN <= own.length; k++) {
      const key = own
        .slice(k, k + RUN)
        .map((line) => line.key)
        .join('\n');
      const found = places.get(key) ?? [];
      places.set(key, [...found, { path, k }]);
    }
    return { path, own };
  });
  const repeated = new Map(lines.map(({ path }) => [path, new Set()]));
  for (const found of places.values())
    if (found.some(({ path }) => path !== found[0].path))
      for (const { path, k } of found) for (let j = k; j < k + RUN; j++) repeated.get(path).add(j);
  return lines.flatMap(({ path, own }) =>
    [...repeated.get(path)].sort((a, b) => a - b).map((k) => `${path}:${own[k].at}`),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = sourceFiles(fileURLToPath(new URL('..', import.meta.url))).filter(
    ({ path }) => !/\.test\./.test(path),
  );
  const found = repeatedLines(files);
  const byFile = new Map();
  for (const line of found) {
    const [path, at] = line.split(':');
    byFile.set(path, [...(byFile.get(path) ?? []), at]);
  }
  for (const [path, own] of [...byFile].sort((a, b) => b[1].length - a[1].length))
    console.log(`${path}: ${own.join(' ')}`);
  console.log(`${found.length} repeated lines`);
}
