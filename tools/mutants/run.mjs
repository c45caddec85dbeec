// `npm run mutants [-- --made | --mechanical] [--count N] [--seed S] [--only WORD] [--jobs N] [--list]
// [--record FILE] [--most N]`: plants faults one at a time in a copy of the tree and runs the tests that must
// notice. Survivors are listed; those known to be harmless with their reason. Ends with 1 where one survives
// that is not known to be, or where some are still to be tried. With a record a run that was stopped goes on:
// what it says was noticed is not tried again; `--most` ends a run after so many.
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { harmless } from './harmless.mjs';
import { isNoticed } from './is-noticed.mjs';
import { faults } from './made.mjs';
import { mechanicalFaults } from './mechanical.mjs';
import { outcomesIn } from './record.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { values: options } = parseArgs({
  options: {
    made: { type: 'boolean', default: false },
    mechanical: { type: 'boolean', default: false },
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    jobs: { type: 'string', default: '1' },
    record: { type: 'string' },
    most: { type: 'string', default: 'Infinity' },
    list: { type: 'boolean', default: false },
  },
});
const both = !options.made && !options.mechanical;
const all = [
  ...(options.made || both ? faults : []),
  ...(options.mechanical || both ? mechanicalFaults(root, Number(options.count), Number(options.seed)) : []),
].filter(({ name }) => options.only === undefined || name.includes(options.only));
if (options.list) {
  for (const { name, file, breaks } of all) console.log(`${name}\n    ${file}: ${breaks}`);
  console.log(`${all.length} faults`);
  process.exit(0);
}

const outcomes = outcomesIn(options.record, root);
const settled = (fault) =>
  outcomes.of(fault) === 'killed' || (outcomes.of(fault) === 'survived' && harmless.has(fault.name));
// What was never tried comes before what survived.
const untriedFirst = (a, b) => Number(outcomes.of(a) !== undefined) - Number(outcomes.of(b) !== undefined);
const open = all
  .filter((fault) => !settled(fault))
  .sort(untriedFirst)
  .slice(0, Number(options.most));
let begun = 0;
let done = 0;
await Promise.all(Array.from({ length: Math.min(Number(options.jobs), open.length) }, work));

/** Takes one fault after the other, in a copy of the tree of its own. */
async function work() {
  const copy = copyOfTree();
  try {
    while (begun < open.length) {
      const fault = open[begun++];
      const outcome = await isNoticed(copy, fault);
      outcomes.add(fault, outcome);
      console.log(`${String(++done).padStart(4)} of ${open.length}  ${outcome.padEnd(9)}  ${fault.name}`);
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

const ended = (outcome) => all.filter((fault) => outcomes.of(fault) === outcome);
const known = ended('survived').filter(({ name }) => harmless.has(name));
const unexplained = all.filter((fault) => outcomes.of(fault) !== undefined && !settled(fault));
const untried = all.filter((fault) => outcomes.of(fault) === undefined);
for (const { name, breaks } of known)
  console.log(`harmless: ${name}\n    ${breaks}\n    ${harmless.get(name)}`);
for (const fault of unexplained)
  console.log(`${outcomes.of(fault)}, NOT EXPLAINED: ${fault.name}\n    it breaks: ${fault.breaks}`);
console.log(
  `\n${all.length - untried.length} faults tried: ${ended('killed').length} noticed, ${known.length} harmless ` +
    `(reasons above), ${unexplained.length} unexplained; ${untried.length} still to be tried.`,
);
process.exit(unexplained.length + untried.length === 0 ? 0 : 1);

/** The tree as it is, without its history; installed packages are shared. */
function copyOfTree() {
  const target = mkdtempSync(join(tmpdir(), 'hushrec-mutants-'));
  for (const name of readdirSync(root)) {
    if (['node_modules', '.git'].includes(name)) continue;
    cpSync(join(root, name), join(target, name), {
      recursive: true,
      filter: (path) => !path.includes('node_modules'),
    });
  }
  symlinkSync(join(root, 'node_modules'), join(target, 'node_modules'));
  return target;
}
