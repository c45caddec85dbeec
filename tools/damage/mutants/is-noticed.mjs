// Whether the tests notice a planted fault, and not the machine's load or a fault that was there before.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runTests } from './run-tests.mjs';
import { testsReaching } from './tests-reaching.mjs';

/** Tests that read a clock fail on a busy machine too: once is not enough. */
const readsClock = /performance\.now|Date\.now|cpuUsage|hrtime/;
/** Five times what a test has otherwise. */
const patient = { testTimeout: 300_000 };
/**
 * CPU seconds of a process: tests need less than the first; a fault that they die of is tried with the second
 * where they die of the first without it, too.
 */
const cpuSeconds = [12, 60];

/**
 * Plants `fault` in `copy` and takes it out again. `killed`; `survived`; `stale` where the place of the fault
 * is not there any more; `undecided` where tests fail without the fault too, or only sometimes.
 */
export async function isNoticed(copy, { file, find, replace, tests }) {
  const path = join(copy, file);
  if (!existsSync(path)) return 'stale';
  const before = readFileSync(path, 'utf8');
  const after = before.replace(find, () => replace);
  if (after === before) return 'stale';
  const without = (check) => inPlace(path, before, after, check);
  writeFileSync(path, after);
  try {
    for (const round of rounds(copy, file, tests)) {
      const outcome = await decided(copy, round, without);
      if (outcome !== 'passed') return outcome;
    }
    return 'survived';
  } finally {
    writeFileSync(path, before);
  }
}

/** Tests that take long: they come last. */
const slow = /kills|full-disk|long-|browser|damage|\.stat\./;

/**
 * The tests nearest to the file notice most faults in a fraction of the time; then all others that reach it.
 */
function rounds(copy, file, places) {
  const reaching = testsReaching(copy, file, places);
  const quick = reaching.filter(({ test }) => !slow.test(test));
  const near = quick.filter(({ test, steps }) => steps < 2 || dirname(test) === dirname(file));
  const next = quick.filter((each) => !near.includes(each) && each.steps === 2);
  const far = quick.filter((each) => ![...near, ...next].includes(each));
  return [near, next, far, reaching.filter(({ test }) => slow.test(test))]
    .map((round) => round.map(({ test }) => test))
    .filter(({ length }) => length > 0);
}

/** `passed`, `killed` or `undecided`. */
async function decided(copy, round, without) {
  let outcome = 'undecided';
  for (const limit of cpuSeconds) {
    const run = await runTests(copy, round, { cpuSeconds: limit });
    if (run.ended === 'passed') return 'passed';
    outcome = await confirmed(copy, round, run, limit, without);
    if (run.ended !== 'died' || outcome === 'killed') return outcome;
  }
  return outcome;
}

async function confirmed(copy, round, { ended, files }, limit, without) {
  const suspects = files.length > 0 ? files : round;
  const again = files.some((test) => readsClock.test(readFileSync(join(copy, test), 'utf8')));
  // A process that died used up its CPU seconds, however busy the machine was, or crashed.
  if (ended === 'late' || again) {
    const second = await runTests(copy, suspects, { ...patient, cpuSeconds: limit });
    if (second.ended === 'passed') return 'undecided';
  }
  // A test that failed stopped early; all of it, without the fault, may need more than it had.
  const enough = ended === 'died' ? limit : cpuSeconds.at(-1);
  return (await without(() => passesWithout(copy, suspects, enough))) ? 'killed' : 'undecided';
}

const passing = new Set();

/** Whether the tests pass in the tree as it is; asked once for each file and limit. */
async function passesWithout(copy, files, limit) {
  const open = files.filter((file) => !passing.has(`${limit} ${file}`));
  if (open.length === 0) return true;
  const { ended } = await runTests(copy, open, { ...patient, cpuSeconds: limit });
  if (ended === 'passed') for (const file of open) passing.add(`${limit} ${file}`);
  return ended === 'passed';
}

async function inPlace(path, before, after, check) {
  writeFileSync(path, before);
  try {
    return await check();
  } finally {
    writeFileSync(path, after);
  }
}
