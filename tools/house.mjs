// `npm run house`: how large the house is, against what is wanted. Needs a build. It says what is and fails
// nothing; the counts are a direction, not a limit to game.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'vite';
import { exportsOf } from './library-page.mjs';
import { language, ModuleGraph, visit } from './module-graph.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const generatedPages = [
  'docs/commands.md',
  'docs/doors.md',
  'docs/library.md',
  'docs/notation.md',
  'docs/pictures.md',
];
const methodPages = ['docs/hush.md', 'docs/hush-proof.md'];

/** The numbers of lines of functions in a TypeScript file, whatever their form. */
export function functionLengths(text, lang = 'ts') {
  const lengths = [];
  visit(parseAst(text, { lang }).body, (node) => {
    if (/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type))
      lengths.push(text.slice(node.start, node.end).split('\n').length);
  });
  return lengths;
}

/** Number literals other than 0, 1 and 2. */
export function numberLiterals(text) {
  const found = [];
  visit(parseAst(text, { lang: 'ts' }).body, (node) => {
    if (node.type === 'Literal' && typeof node.value === 'number' && ![0, 1, 2].includes(node.value))
      found.push(node.value);
  });
  return found;
}

/** The modules that a file loads when it runs: imports of types alone load nothing. */
export function loadedBy(text, lang = 'ts') {
  return parseAst(text, { lang })
    .body.filter(
      ({ type, source, importKind, exportKind, specifiers = [] }) =>
        /^(Import|ExportNamed|ExportAll)Declaration$/.test(type) &&
        source &&
        importKind !== 'type' &&
        exportKind !== 'type' &&
        (specifiers.length === 0 ||
          specifiers.some((each) => (each.importKind ?? each.exportKind) !== 'type')),
    )
    .map(({ source }) => source.value);
}

/**
 * Groups of files that load each other (strongly connected components of two or more; Tarjan).
 *
 * @param {ReadonlyMap<string, readonly string[]>} loads
 */
export function cyclesIn(loads) {
  const state = new Map();
  const stack = [];
  const cycles = [];
  const enter = (file) => {
    const own = { index: state.size, low: state.size, isOpen: true };
    state.set(file, own);
    stack.push(file);
    for (const next of loads.get(file) ?? []) {
      const seen = state.get(next) ?? enter(next);
      if (seen.isOpen) own.low = Math.min(own.low, seen.low);
    }
    if (own.low === own.index) {
      const group = stack.splice(stack.indexOf(file));
      for (const member of group) state.get(member).isOpen = false;
      if (group.length > 1) cycles.push(group);
    }
    return own;
  };
  for (const file of loads.keys()) if (!state.has(file)) enter(file);
  return cycles;
}

/** A word has a letter or a digit: bars and rules of tables, and signs that stand alone, are none. */
export const wordsIn = (text) => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/** A page without what a command draws below a mark of its own. */
export const byHand = (text) => text.split(/^<!-- results: drawn by /m)[0];

/** The state of the repository that the plan for this table measured. */
const planned = 'd3f37be30956bcdc4029ba202b28d97f04c78c4b';

/** Files that have come since the plan, or undefined where the history does not go back so far. */
function newFiles() {
  const { status, stdout } = spawnSync(
    'git',
    [
      'diff',
      '--name-only',
      '--diff-filter=A',
      '--find-renames=40%',
      '-l0',
      planned,
      '--',
      'packages',
      'apps',
    ],
    { cwd: root, encoding: 'utf8' },
  );
  return status === 0 ? new Set(stdout.split('\n')) : undefined;
}

/** `packages/model/src/loss.ts` → `packages/model`. */
const roomOf = (path) => path.split('/').slice(0, 2).join('/');

/** Everything that the table says, measured. */
async function measure() {
  const { stdout } = spawnSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' });
  const paths = stdout.split('\n').filter((path) => path !== '' && existsSync(join(root, path)));
  const read = (path) => readFileSync(join(root, path), 'utf8');
  const product = paths.filter(
    (path) =>
      /^(packages|apps)\/.*\.(tsx?|css|html|mjs)$/.test(path) && !/\.test\.|\/testing\/|\/e2e\//.test(path),
  );
  const sources = product.filter(
    (path) => path.includes('/src/') && /\.tsx?$/.test(path) && !path.includes('.generated.'),
  );
  const texts = new Map(sources.map((path) => [path, read(path)]));
  const graph = new ModuleGraph([...texts].map(([path, text]) => ({ path, text })));
  const loads = new Map(
    [...texts].map(([path, text]) => [
      path,
      loadedBy(text, language(path)).flatMap((specifier) => graph.resolve(path, specifier) ?? []),
    ]),
  );
  const isHush = (path) => path.startsWith('packages/factorize/src/hush/');
  const { buildProgram } = await import('../apps/cli/dist/main.js');
  const pages = paths
    .filter((path) => path.endsWith('.md') && !path.startsWith('papers/') && !generatedPages.includes(path))
    .map((path) => ({ path, words: wordsIn(byHand(read(path))) }))
    .sort((a, b) => b.words - a.words);
  const since = newFiles();
  const linesOf = (some) => some.reduce((sum, path) => sum + read(path).split('\n').length - 1, 0);
  const added = product.filter((path) => since?.has(path));
  return {
    lines: linesOf(product.filter((path) => !since?.has(path))),
    newLines: since && linesOf(added),
    newByRoom: [...new Set(added.map(roomOf))]
      .map((room) => ({ room, lines: linesOf(added.filter((path) => roomOf(path) === room)) }))
      .sort((a, b) => b.lines - a.lines),
    hushNumbers: [...texts].filter(([path]) => isHush(path)).flatMap(([, text]) => numberLiterals(text))
      .length,
    pages,
    options: optionsOf(await buildProgram()),
    names: exportsOf(join(root, 'packages/model/dist/index.d.ts')).size,
    otherDoors: ['signing', 'usefulness', 'words', 'making'].map(
      (door) => `${door} ${exportsOf(join(root, `packages/model/dist/${door}.d.ts`)).size}`,
    ),
    long: [...texts]
      .flatMap(([path, text]) => functionLengths(text, language(path)))
      .filter((length) => length > 60).length,
    cycles: cyclesIn(loads).length,
  };
}

const optionsOf = (command) =>
  command.options.length + command.commands.reduce((sum, each) => sum + optionsOf(each), 0);

/** The most words of a page; none is set for others than guides and methods. */
export const mostWords = (path) =>
  path.startsWith('docs/guides/') ? 1500 : methodPages.includes(path) ? 2500 : Number.POSITIVE_INFINITY;

/**
 * The table's rows: what, how much there is, how much is wanted at most, and why there is more where it is
 * accepted.
 */
export function rowsOf({ lines, hushNumbers, pages, options, names, long, cycles }) {
  return [
    [
      'lines of the product (packages, apps; no tests) in files that the plan knew',
      lines,
      75_000,
      'much of what has come since is in files that the plan knew; nothing in them is unused or repeated (tools/unused.test.ts), and kernels that only methods of papers call share memory and threads with the others',
    ],
    [
      'numbers of hush (literals in its files but 0, 1 and 2)',
      hushNumbers,
      50,
      'every named rule was varied on real sets, and docs/hush-numbers.md says what each value loses; not all were tried without',
    ],
    [
      'words of Markdown written by hand',
      pages.reduce((sum, { words }) => sum + words, 0),
      40_000,
      'pages on federated training, the shop and moving from other libraries have come since the plan',
    ],
    [
      'guides and method pages longer than wanted',
      pages.filter(({ path, words }) => words > mostWords(path)).length,
      0,
    ],
    ['options of the command line', options, 300],
    ['names behind the main door of @hushrec/model', names, 45],
    ['functions over 60 lines', long, 10],
    ['cycles at run time', cycles, 0],
  ];
}

/** A row as it is printed; below it, the reason where its bar is not met. */
export const line = ([what, is, most, reason]) =>
  `${what.padEnd(76)}${is.toLocaleString('en').padStart(8)}${most.toLocaleString('en').padStart(8)}  ${is <= most ? 'met' : `not met\n    ${reason ?? 'no reason is stated: this is to be mended'}`}`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const measured = await measure();
  console.log(`${''.padEnd(76)}${'is'.padStart(8)}${'at most'.padStart(8)}`);
  for (const row of rowsOf(measured)) console.log(line(row));
  console.log(
    measured.newLines === undefined
      ? 'The history does not go back to the plan: new files are counted with the others.'
      : `Lines in files that have come since, apart: ${measured.newLines.toLocaleString('en')}, ${(measured.lines + measured.newLines).toLocaleString('en')} in all (${measured.newByRoom
          .map(({ room, lines }) => `${room} ${lines.toLocaleString('en')}`)
          .join(', ')}).`,
  );
  console.log(
    'time of `npm test`: at most 5 minutes on two idle cores; vitest prints it at the end of a run.',
  );
  console.log(`Names behind the other doors of @hushrec/model: ${measured.otherDoors.join(', ')}.`);
  console.log('\nWords by page:');
  for (const { path, words } of measured.pages)
    console.log(
      `${path.padEnd(76)}${words.toLocaleString('en').padStart(8)}${words > mostWords(path) ? '  too long' : ''}`,
    );
}
