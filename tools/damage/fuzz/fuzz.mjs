// npm run fuzz [-- --long] [--seed 1] [--only import,models] [--count 1000] [--jobs 2] Damaged inputs for
// everything we read. Short by default; --long tries the large numbers, unattended, as many targets at a time
// as there are cores. Each target runs in a process of its own: an abort, an input above 5 s on the processor
// or memory above the target's bound is a fault, and so is every outcome that a target marks with "!".
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCases } from './run-cases.mjs';
import { targets } from './targets.mjs';

export const options = {
  long: { type: 'boolean', default: false },
  seed: { type: 'string', default: '1' },
  count: { type: 'string' },
  from: { type: 'string', default: '0' },
};

export function targetsOf(values) {
  // Nothing here has to outlive the power, and syncing would take most of the time: in memory, if there is.
  const memory = '/dev/shm';
  const scratch = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'hushrec-fuzz-'));
  return {
    targets: targets.map((target) => ({
      ...target,
      run: (report) => tryTarget(target, values, scratch, report),
    })),
    jobs: values.long ? availableParallelism() : 1,
    close: () => rmSync(scratch, { recursive: true, force: true }),
  };
}

async function tryTarget(target, { seed, long, ...values }, scratch, report) {
  const { name, memoryBytes, inputsPerCase = 1 } = target;
  const from = Number(values.from);
  const to = from + Number(values.count ?? (long ? target.long : target.short));
  const progressEvery = Math.ceil(target.long / 20);
  const again = (number) => `--only ${name} --seed ${seed} --from ${number} --count 1`;
  const bound = `(bound ${Math.round(memoryBytes / 1e6)} MB)`;
  let most = 0;
  report.fact('seed', `seed ${seed}`);
  const told = {
    fault: (number, what) => report.fault(again(number), what, inputsPerCase),
    retry: (number, what) => report.progress(`once more: ${again(number)}: ${what}`),
    outcome(number, outcome, rss) {
      const done = number - from + 1;
      if (long && done % progressEvery === 0) report.progress(`${done * inputsPerCase} so far`);
      most = Math.max(most, rss);
      report.fact('memory', `at most ${Math.round(most / 1e6)} MB ${bound}`);
      if (rss > memoryBytes) this.fault(number, `memory ${Math.round(rss / 1e6)} MB, above the bound`);
      else if (outcome.startsWith('!')) this.fault(number, outcome.slice(2));
      else report.tried(outcome, inputsPerCase);
    },
  };
  for (let next = { from }; next.from < to; )
    next = await runCases(target, { seed, to, scratch, ...next }, told);
}
