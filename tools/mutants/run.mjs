// `npm run mutants [-- --made | --mechanical] [--count N] [--seed S] [--only WORD] [--list]`: plants faults one at a time in a copy of the
// tree and runs the tests that must notice. Survivors are listed; those known to be harmless with their reason. Ends with 1 where
// one survives that is not known to be.
import { spawnSync } from 'node:child_process';
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

const root = fileURLToPath(new URL('../..', import.meta.url));
const { values: options } = parseArgs({
  options: {
    made: { type: 'boolean', default: false },
    mechanical: { type: 'boolean', default: false },
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
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

const copy = copyOfTree();
const survivors = [];
let killed = 0;
try {
  for (const [at, fault] of all.entries()) {
    const outcome = tried(fault);
    if (outcome === 'killed') killed++;
    else survivors.push({ fault, outcome });
    console.log(`${String(at + 1).padStart(4)} of ${all.length}  ${outcome.padEnd(8)}  ${fault.name}`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
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

/** Whether the tests notice: `killed`, `survived`, or `stale` where the place of the fault is not there any more. */
function tried({ file, find, replace, tests }) {
  const path = join(copy, file);
  if (!existsSync(path)) return 'stale';
  const before = readFileSync(path, 'utf8');
  const after = before.replace(find, () => replace);
  if (after === before) return 'stale';
  writeFileSync(path, after);
  try {
    // The tests that stand beside the file notice most faults in a fraction of the time.
    const beside = readdirSync(dirname(path))
      .filter((name) => name.endsWith('.test.ts') && !name.includes('.stat.'))
      .map((name) => join(dirname(file), name));
    const passes = (chosen) =>
      spawnSync('npx', ['--no-install', 'vitest', 'run', '--bail', '1', ...chosen], {
        cwd: copy,
        stdio: 'ignore',
        timeout: 600_000,
      }).status === 0;
    if (beside.length > 0 && !passes(beside)) return 'killed';
    return passes(tests) ? 'survived' : 'killed';
  } finally {
    writeFileSync(path, before);
  }
}
