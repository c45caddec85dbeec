// `npm run mutants [-- --made | --mechanical] [--count N] [--seed S] [--only WORD] [--jobs N] [--list]`:
// plants faults one at a time in a copy of the tree and runs the tests that must notice. Survivors are
// listed; those known to be harmless with their reason. Ends with 1 where one survives that is not known to
// be.
import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { harmless } from './harmless.mjs';
import { faults } from './made.mjs';
import { mechanicalFaults } from './mechanical.mjs';
import { testsReaching } from './tests-reaching.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { values: options } = parseArgs({
  options: {
    made: { type: 'boolean', default: false },
    mechanical: { type: 'boolean', default: false },
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    jobs: { type: 'string', default: '1' },
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

const survivors = [];
let killed = 0;
let begun = 0;
await Promise.all(Array.from({ length: Number(options.jobs) }, work));

/** Takes one fault after the other, in a copy of the tree of its own. */
async function work() {
  const copy = copyOfTree();
  try {
    while (begun < all.length) {
      const fault = all[begun++];
      const outcome = await tried(copy, fault);
      if (outcome === 'killed') killed++;
      else survivors.push({ fault, outcome });
      const done = killed + survivors.length;
      console.log(`${String(done).padStart(4)} of ${all.length}  ${outcome.padEnd(8)}  ${fault.name}`);
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
const unexplained = survivors.filter(({ fault }) => harmless.get(fault.name) === undefined);
console.log(`\n${killed} of ${all.length} faults were noticed.`);
for (const { fault, outcome } of survivors)
  console.log(
    `${outcome}: ${fault.name} (${fault.file})\n    ${harmless.get(fault.name) ?? `NOT EXPLAINED; it breaks: ${fault.breaks}`}`,
  );
process.exit(unexplained.length === 0 ? 0 : 1);

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

/**
 * Whether the tests notice: `killed`, `survived`, or `stale` where the place of the fault is not there any
 * more.
 */
async function tried(copy, { file, find, replace, tests }) {
  const path = join(copy, file);
  if (!existsSync(path)) return 'stale';
  const before = readFileSync(path, 'utf8');
  const after = before.replace(find, () => replace);
  if (after === before) return 'stale';
  writeFileSync(path, after);
  try {
    // The tests that stand beside the file notice most faults in a fraction of the time; then all that reach
    // it.
    const beside = readdirSync(dirname(path))
      .filter((name) => name.endsWith('.test.ts') && !name.includes('.stat.'))
      .map((name) => join(dirname(file), name));
    const reaching = testsReaching(copy, file, tests);
    const rounds = [beside, reaching.filter((test) => !beside.includes(test))].filter(
      ({ length }) => length > 0,
    );
    for (const round of rounds) if (!(await passes(copy, round))) return 'killed';
    return 'survived';
  } finally {
    writeFileSync(path, before);
  }
}

function passes(copy, chosen) {
  return new Promise((resolve) => {
    const args = ['--no-install', 'vitest', 'run', '--bail', '1', ...chosen];
    const child = spawn('npx', args, { cwd: copy, stdio: 'ignore', timeout: 600_000 });
    child.on('close', (status) => resolve(status === 0));
  });
}
