// Faults made by rule: a comparison turned, a statement removed, a constant moved. Which places get one is
// drawn by a seed.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Where faults are planted, and the tests that must notice. */
const places = [
  {
    folder: 'packages/privacy/src',
    tests: ['packages/privacy'],
  },
  {
    // Shares add up to one release: that is tried where they are made and added up.
    folder: 'packages/federate/src/sharing',
    tests: ['packages/federate/src/sharing', 'packages/federate/src/equality.test.ts'],
  },
  {
    folder: 'packages/statistics/src',
    tests: [
      'packages/statistics',
      'papers/dpals',
      'papers/am-ssp',
      'papers/shared',
      'packages/factorize/src/hush',
    ],
  },
  ...['shared', 'dpals', 'am-ssp'].map((paper) => ({
    folder: `papers/${paper}/statistics`,
    tests: ['papers/dpals', 'papers/am-ssp', 'papers/shared'],
  })),
  { folder: 'packages/ledger/src', tests: ['packages/ledger'] },
  {
    folder: 'packages/model/src',
    tests: ['packages/model', 'packages/train/src/publish'],
    also: [{ files: /model\/src\/plan/, tests: ['apps/cli/src/commands/privacy-plan.test.ts'] }],
  },
];

const turned = new Map([
  [' < ', ' >= '],
  [' <= ', ' > '],
  [' > ', ' <= '],
  [' >= ', ' < '],
  [' === ', ' !== '],
  [' !== ', ' === '],
]);

/**
 * `count` faults, drawn by the seed from all places where one can be planted: those whose names have the
 * smallest digests with it. An edit of the tree so changes few of the faults that are drawn.
 */
export function mechanicalFaults(root, count, seed) {
  const digest = ({ name }) => createHash('sha256').update(`${seed} ${name}`).digest('hex');
  return allMechanicalFaults(root)
    .map((fault) => ({ fault, place: digest(fault) }))
    .sort((a, b) => (a.place < b.place ? -1 : 1))
    .slice(0, count)
    .map(({ fault }) => fault);
}

/** Every fault that the rules below can plant. Where two have the same name, the later ones are numbered. */
export function allMechanicalFaults(root) {
  const times = new Map();
  return places
    .flatMap(({ folder, tests, also = [] }) =>
      sources(join(root, folder)).flatMap((path) => {
        const more = also.filter(({ files }) => files.test(path)).flatMap((each) => each.tests);
        return faultsIn(root, path, [...tests, ...more]);
      }),
    )
    .map((fault) => {
      const time = (times.get(fault.name) ?? 0) + 1;
      times.set(fault.name, time);
      return time === 1 ? fault : { ...fault, name: `${fault.name} (${time})` };
    });
}

function faultsIn(root, path, tests) {
  const file = relative(root, path);
  const lines = readFileSync(path, 'utf8').split('\n');
  const found = [];
  lines.forEach((line, at) => {
    // A fault is planted by the number of its line: the same text may stand in many places. It is named by
    // its text, which edits above it leave alone, so that a reason in `harmless.mjs` stays true.
    const fault = (kind, changed) =>
      found.push({
        name: `${kind} in ${file}: ${line.trim()}`,
        file,
        replace: changed,
        breaks: `${line.trim()}  →  ${changed.trim() || '(nothing)'}`,
        tests,
        at,
      });
    if (/^\s*(\*|\/\/|\/\*|import|export (type|interface)|type |interface )/.test(line)) return;
    for (const [from, to] of turned)
      if (line.includes(from) && !line.includes('=>')) fault('comparison turned', line.replace(from, to));
    if (/^\s+(this\.)?[#\w.[\]!]+(\(.*\)| [-+*/]?= [^=].*);$/.test(line)) fault('statement removed', '');
    // Numbers in words that are said are left alone.
    const constant = /(?<![\w.#'"`$])(\d+(?:\.\d+)?)(?![\w.'"`\]])/.exec(line.split('`', 1)[0]);
    if (constant && /[=*+/(-]/.test(line) && !line.includes('readonly') && !line.includes("'"))
      fault('constant moved', line.replace(constant[0], String(Number(constant[0]) + 1)));
  });
  return found.map(({ at, replace, ...rest }) => ({
    ...rest,
    find: new RegExp(`^((?:[^\\n]*\\n){${at}})[^\\n]*`),
    replace: [...lines.slice(0, at), replace].join('\n'),
  }));
}

function sources(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(({ name }) => name.endsWith('.ts') && !/\.test\.|\.generated\.|^index\.ts$/.test(name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}
