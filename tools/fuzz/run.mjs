// npm run fuzz [-- --long] [--seed 1] [--only import,models] [--count 1000] [--jobs 2] Damaged inputs for
// everything we read. Short by default; --long tries the large numbers, unattended, as many targets at a time
// as there are cores. Each target runs in a process of its own: an abort, an input above 5 s on the processor
// or memory above the target's bound is a fault, and so is every outcome that a target marks with "!". Exit
// code 1 when there was any; each is told at once with the seed and number that give it again, and once more
// at the end.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runCases } from './run-cases.mjs';
import { targets } from './targets.mjs';

const { values } = parseArgs({
  options: {
    long: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    count: { type: 'string' },
    from: { type: 'string', default: '0' },
    jobs: { type: 'string' },
  },
});
/** Nothing here has to outlive the power, and syncing would take most of the time: in memory, if there is. */
const memory = '/dev/shm';
const scratch = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'hushrec-fuzz-'));

/** All cases of a target; gives what is to be said of them and how many faults there were. */
async function tryTarget(target) {
  const from = Number(values.from);
  const to = from + Number(values.count ?? (values.long ? target.long : target.short));
  const inputsPerCase = target.inputsPerCase ?? 1;
  const tally = new Map();
  const progressEvery = Math.ceil(target.long / 20);
  let faults = 0;
  let most = 0;
  const began = process.hrtime.bigint();
  const report = {
    fault(number, what) {
      faults++;
      tally.set('FAULTS', (tally.get('FAULTS') ?? 0) + 1);
      const line = `  fault: --only ${target.name} --seed ${values.seed} --from ${number} --count 1: ${what}`;
      console.log(line);
      told.push(line);
    },
    retry(number, what) {
      tally.set('retried', (tally.get('retried') ?? 0) + 1);
      console.log(
        `  once more: --only ${target.name} --seed ${values.seed} --from ${number} --count 1: ${what}`,
      );
    },
    outcome(number, outcome, rss) {
      const done = number - from + 1;
      if (values.long && done % progressEvery === 0)
        console.log(`  ${target.name}: ${done * inputsPerCase} so far`);
      if (rss > most) most = rss;
      if (rss > target.memoryBytes) this.fault(number, `memory ${Math.round(rss / 1e6)} MB, above the bound`);
      if (outcome.startsWith('!')) this.fault(number, outcome.slice(2));
      else tally.set(outcome, (tally.get(outcome) ?? 0) + 1);
    },
  };
  for (let next = { from }; next.from < to; )
    next = await runCases(target, { seed: values.seed, to, scratch, ...next }, report);
  const seconds = Number(process.hrtime.bigint() - began) / 1e9;
  const outcomes = [...tally].sort().map(([outcome, count]) => `${count} ${outcome}`);
  console.log(
    `${target.name}: ${target.what}\n  ${(to - from) * inputsPerCase} tried, seed ${values.seed}: ${outcomes.join(', ')}; at most ${Math.round(most / 1e6)} MB (bound ${Math.round(target.memoryBytes / 1e6)} MB), ${seconds.toFixed(1)} s`,
  );
  return faults;
}

const chosen = targets.filter(({ name }) => values.only?.split(',').includes(name) ?? true);
/** All faults, so that none is lost in a long output. */
const told = [];
const jobs = Number(values.jobs ?? (values.long ? availableParallelism() : 1));
let faults = 0;
try {
  const waiting = chosen.values();
  await Promise.all(
    Array.from({ length: jobs }, async () => {
      for (const target of waiting) faults += await tryTarget(target);
    }),
  );
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
console.log(faults === 0 ? 'No fault.' : [`${faults} faults.`, ...told].join('\n'));
process.exitCode = faults === 0 ? 0 : 1;
