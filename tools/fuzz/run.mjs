// npm run fuzz [-- --long] [--seed 1] [--only import,models] [--count 1000] Damaged inputs for everything we
// read. Short by default; --long tries the large numbers, unattended. Each target runs in a process of its
// own: an abort, an input above 5 s or memory above the target's bound is a fault, and so is every outcome
// that a target marks with "!". Exit code 1 when there was any; each is told with the seed and number that
// give it again.
import { fork } from 'node:child_process';
import { availableParallelism, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { targets } from './targets.mjs';

const { values } = parseArgs({
  options: {
    long: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    count: { type: 'string' },
    from: { type: 'string', default: '0' },
  },
});
const longestInputMs = 5000;
const startMs = 60_000;
const worker = fileURLToPath(new URL('worker.mjs', import.meta.url));

/** Runs cases until one ends the process; tells where to go on. */
function runFrom(target, from, to, report) {
  return new Promise((resolve) => {
    const child = fork(worker, [target.name, values.seed, String(from), String(to)], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let current;
    let words = '';
    let timer = setTimeout(() => child.kill('SIGKILL'), startMs);
    child.stderr.on('data', (text) => (words = (words + text).slice(-2000)));
    child.on('message', (message) => {
      clearTimeout(timer);
      if (message.begin !== undefined) {
        current = message.begin;
        // On an idle machine; where others work too, so much longer as they leave less.
        const patience = Math.max(1, (2 * loadavg()[0]) / availableParallelism());
        timer = setTimeout(
          () => {
            report.fault(current, `took longer than ${longestInputMs / 1000} s`);
            from = current + 1;
            current = undefined;
            child.kill('SIGKILL');
          },
          patience * longestInputMs * (target.inputsPerCase ?? 1),
        );
      } else if (message.end !== undefined) {
        report.outcome(message.end, message.outcome, message.memory);
        from = message.end + 1;
        current = undefined;
      }
    });
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      if (current !== undefined) {
        report.fault(
          current,
          `ended the process (${signal ?? `exit code ${code}`}): ${words.trim().split('\n')[0]}`,
        );
        resolve(current + 1);
      } else if (from < to && code !== 0 && signal === null) {
        report.fault(from, `could not go on: ${words.trim().split('\n').slice(0, 8).join(' ')}`);
        resolve(to);
      } else resolve(code === 0 ? to : from);
    });
  });
}

let faults = 0;
for (const target of targets) {
  if (values.only !== undefined && !values.only.split(',').includes(target.name)) continue;
  const from = Number(values.from);
  const to = from + Number(values.count ?? (values.long ? target.long : target.short));
  const tally = new Map();
  let most = 0;
  const began = process.hrtime.bigint();
  const shown = new Set();
  const report = {
    fault(number, what) {
      faults++;
      tally.set('FAULTS', (tally.get('FAULTS') ?? 0) + 1);
      if (shown.size < 12 && !shown.has(what))
        console.log(
          `  fault: --only ${target.name} --seed ${values.seed} --from ${number} --count 1: ${what}`,
        );
      shown.add(what);
    },
    outcome(number, outcome, memory) {
      if (values.long && (number - from + 1) % Math.ceil(target.long / 20) === 0)
        console.log(`  ${(number - from + 1) * (target.inputsPerCase ?? 1)} so far`);
      if (memory > most) most = memory;
      if (memory > target.memoryBytes)
        this.fault(number, `memory ${Math.round(memory / 1e6)} MB, above the bound`);
      if (outcome.startsWith('!')) this.fault(number, outcome.slice(2));
      else tally.set(outcome, (tally.get(outcome) ?? 0) + 1);
    },
  };
  console.log(`${target.name}: ${target.what}`);
  for (let next = from; next < to; ) next = await runFrom(target, next, to, report);
  const seconds = Number(process.hrtime.bigint() - began) / 1e9;
  const outcomes = [...tally].sort().map(([outcome, count]) => `${count} ${outcome}`);
  const inputs = (to - from) * (target.inputsPerCase ?? 1);
  console.log(
    `  ${inputs} tried, seed ${values.seed}: ${outcomes.join(', ')}; at most ${Math.round(most / 1e6)} MB (bound ${Math.round(target.memoryBytes / 1e6)} MB), ${seconds.toFixed(1)} s`,
  );
}
console.log(faults === 0 ? 'No fault.' : `${faults} faults.`);
process.exitCode = faults === 0 ? 0 : 1;
