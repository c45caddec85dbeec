import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';

const longestInputMs = 5000;
/** To load everything and make what is to be damaged, on a machine where others have the cores. */
const startMs = 300_000;
const worker = fileURLToPath(new URL('worker.mjs', import.meta.url));
/** Young objects get room: with the usual 1 MB, collecting them takes half of the time of an import. */
const room = ['--min-semi-space-size=32', '--max-semi-space-size=32'];

/** Milliseconds of processor time that a process took so far; undefined where the system does not say. */
function processorMs(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    // Ticks of 1/100 s in user and in system mode.
    return 10 * (Number(fields[11]) + Number(fields[12]));
  } catch {
    return undefined;
  }
}

/**
 * How much longer than on an idle machine something may take: where others work too, so much as they leave
 * less.
 */
const patience = () => Math.max(1, (2 * loadavg()[0]) / availableParallelism());

/**
 * Calls back when a case took more than its time: on the processor where the system tells, so that a busy
 * machine is not taken for a hang; and, six times as long, on the clock, for one that waits for ever. A case
 * of several inputs has the time of one.
 */
function watch(pid, tooLong) {
  const before = processorMs(pid);
  const began = Date.now();
  const timer = setInterval(() => {
    const used = before === undefined ? undefined : (processorMs(pid) ?? before) - before;
    const waited = Date.now() - began;
    const isSpent = used > longestInputMs;
    if (!isSpent && waited <= (used === undefined ? 1 : 6) * patience() * longestInputMs) return;
    clearInterval(timer);
    const words = used === undefined ? '' : ` of which ${(used / 1000).toFixed(1)} s on the processor`;
    tooLong(`took ${(waited / 1000).toFixed(1)} s${words}, above ${longestInputMs / 1000} s`, isSpent);
  }, longestInputMs);
  return () => clearInterval(timer);
}

/**
 * Runs cases in a process until one ends it; tells where to go on. A case that was stopped by the clock alone
 * may have waited for others: it is tried once more, first in a new process (`isSecond`).
 */
export function runCases(target, { seed, from, to, scratch, isSecond = false }, report) {
  return new Promise((resolve) => {
    const child = fork(worker, [target.name, seed, String(from), String(to)], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      execArgv: room,
      env: { ...process.env, TMPDIR: scratch },
    });
    const begin = from;
    let current;
    let again = false;
    let words = '';
    const late = setTimeout(() => {
      report.fault(from, `did not start within ${startMs / 1000} s`);
      from = to;
      child.kill('SIGKILL');
    }, startMs * patience());
    let unwatch = () => clearTimeout(late);
    child.stderr.on('data', (text) => (words = (words + text).slice(-2000)));
    child.on('message', (message) => {
      unwatch();
      if (message.begin !== undefined) {
        current = message.begin;
        unwatch = watch(child.pid, (words, isSpent) => {
          const isAgain = !isSpent && !(isSecond && current === begin);
          if (isAgain) report.retry(current, words);
          else report.fault(current, words);
          from = isAgain ? current : current + 1;
          again = isAgain;
          current = undefined;
          child.kill('SIGKILL');
        });
      } else if (message.end !== undefined) {
        report.outcome(message.end, message.outcome, message.memory);
        from = message.end + 1;
        current = undefined;
      }
    });
    child.once('close', (code, signal) => {
      unwatch();
      if (current !== undefined) {
        report.fault(
          current,
          `ended the process (${signal ?? `exit code ${code}`}): ${words.trim().split('\n')[0]}`,
        );
        resolve({ from: current + 1 });
      } else if (from < to && code !== 0 && signal === null) {
        report.fault(from, `could not go on: ${words.trim().split('\n').slice(0, 8).join(' ')}`);
        resolve({ from: to });
      } else if (from < to && code === 0) {
        report.fault(from, 'came to its end before all were tried');
        resolve({ from: from + 1 });
      } else resolve({ from, isSecond: again });
    });
  });
}
