// `npm run mutants [-- --only made|mechanical] [--count N] [--seed S] [--named WORD] [--copies N] [--list]
// [--record FILE] [--most N]`: plants faults one at a time in a copy of the tree and runs the tests that must
// notice. Those that survive are faults of the tests, unless they are known to be harmless, with the reason.
// With a record a run that was stopped goes on: what it says was noticed is not tried again; `--most` ends a
// run after so many, and it is then unfinished.
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { harmless } from './harmless.mjs';
import { isNoticed } from './is-noticed.mjs';
import { faults } from './made.mjs';
import { mechanicalFaults } from './mechanical.mjs';
import { outcomesIn } from './record.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
export const options = {
  count: { type: 'string', default: '200' },
  seed: { type: 'string', default: '1' },
  named: { type: 'string', default: '' },
  copies: { type: 'string', default: '1' },
  record: { type: 'string' },
  most: { type: 'string', default: 'Infinity' },
  list: { type: 'boolean', default: false },
};

export function targetsOf(values) {
  const outcomes = outcomesIn(values.record, root);
  const target = (name, what, all) => {
    const chosen = all.filter((fault) => fault.name.includes(values.named));
    return {
      name,
      what,
      run: (report) => (values.list ? list(chosen, report) : plant(chosen, outcomes, values, report)),
    };
  };
  return {
    targets: [
      target('made', 'faults made by hand', faults),
      target(
        'mechanical',
        'faults made by rule',
        mechanicalFaults(root, Number(values.count), Number(values.seed)),
      ),
    ],
  };
}

function list(all, report) {
  for (const { name, file, breaks } of all) console.log(`${name}\n    ${file}: ${breaks}`);
  report.unfinished(`${all.length} listed`);
}

async function plant(all, outcomes, { copies, most }, report) {
  const isSettled = (fault) =>
    outcomes.of(fault) === 'killed' || (outcomes.of(fault) === 'survived' && harmless.has(fault.name));
  // What was never tried comes before what survived.
  const untriedFirst = (a, b) => Number(outcomes.of(a) !== undefined) - Number(outcomes.of(b) !== undefined);
  const open = all
    .filter((fault) => !isSettled(fault))
    .sort(untriedFirst)
    .slice(0, Number(most));
  let begun = 0;
  let done = 0;
  /** Takes one fault after the other, in a copy of the tree of its own. */
  const work = async () => {
    const copy = copyOfTree();
    try {
      while (begun < open.length) {
        const fault = open[begun++];
        const outcome = await isNoticed(copy, fault);
        outcomes.add(fault, outcome);
        report.progress(`${++done} of ${open.length}, ${outcome}: ${fault.name}`);
      }
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  };
  await Promise.all(Array.from({ length: Math.min(Number(copies), open.length) }, work));
  for (const fault of all) {
    const { name, breaks } = fault;
    const outcome = outcomes.of(fault);
    if (outcome === 'killed') report.tried('noticed');
    else if (isSettled(fault)) {
      report.tried('harmless');
      console.log(`harmless: ${name}\n    ${breaks}\n    ${harmless.get(name)}`);
    } else if (outcome !== undefined)
      report.fault(`--named '${name}'`, `${outcome}, not explained; it breaks: ${breaks}`);
  }
  const untried = all.filter((fault) => outcomes.of(fault) === undefined).length;
  if (untried > 0) report.unfinished(`${untried} still to be tried`);
}

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
