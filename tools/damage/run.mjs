// The one runner of everything that damages: `npm run fuzz`, `faults`, `kills`, `kills:work` and `mutants`. A
// kind of damage gives its targets; the runner tries them, tells every fault at once with the words that give
// it again and once more at the end, and counts the rest. Options of all kinds:
//
//   --only a,b   these targets alone
//   --jobs N     so many targets at a time
//
// Exit code 0 without a fault, 1 with one, 2 where nothing can be tried here.
import { parseArgs } from 'node:util';
import { Report } from './report.mjs';

/** @typedef {{ name: string, what?: string, run(report: Report): Promise<unknown> }} Target */

const kinds = {
  fuzz: './fuzz/fuzz.mjs',
  faults: './faults/faults.mjs',
  kills: './kills/kills.mjs',
  'kills-work': './kills/kills-work.mjs',
  mutants: './mutants/mutants.mjs',
};
const [kind, ...args] = process.argv.slice(2);
if (!Object.hasOwn(kinds, kind)) end(2, `${kind}: expected one of ${Object.keys(kinds).join(', ')}.`);
const { options, targetsOf } = await import(kinds[kind]);
const { values, positionals } = parseArgs({
  args,
  allowPositionals: true,
  options: { only: { type: 'string' }, jobs: { type: 'string' }, ...options },
});
const { targets, jobs = 1, whyNot, close = () => {} } = await targetsOf(values, positionals);
if (whyNot !== undefined) end(2, whyNot);

const names = values.only?.split(',');
const unknown = names?.filter((name) => !targets.some((target) => target.name === name)) ?? [];
if (unknown.length > 0)
  end(2, `There is no ${unknown.join(', ')}: ${targets.map(({ name }) => name).join(', ')}.`);
const reports = [];
try {
  const waiting = targets.filter(({ name }) => names?.includes(name) ?? true).values();
  await Promise.all(
    Array.from({ length: Number(values.jobs ?? jobs) }, async () => {
      for (const target of waiting) {
        const report = new Report(target);
        reports.push(report);
        await target.run(report);
        console.log(report.summary());
      }
    }),
  );
} finally {
  await close();
}
const tried = reports.reduce((sum, { total }) => sum + total, 0);
const faults = reports.flatMap((report) => report.faults);
console.log(
  faults.length === 0
    ? `${tried} tried. No fault.`
    : [`${tried} tried. ${faults.length} faults:`, ...faults].join('\n'),
);
process.exitCode = faults.length > 0 || reports.some(({ isUnfinished }) => isUnfinished) ? 1 : 0;

function end(code, words) {
  console.log(words);
  process.exit(code);
}
