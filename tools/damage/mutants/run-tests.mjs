// Runs test files in a copy of the tree and says how that ended: a busy machine must not be taken for a
// test that noticed something.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** A run that took so long waited for something: other programs, or a promise that nothing keeps. */
const mostMinutes = 30;

/** What the report says of a test or hook that met its time limit: the words, or the mark of its stack. */
const isTimeLimit = /timed out in|STACK_TRACE_ERROR/;

/**
 * How the tests in `files` ended, until the first that fails: `passed`; `failed`, with the files in which
 * something else than a time limit failed; `late`, with the files in which nothing but a time limit failed;
 * `died`, where a process ended before its tests. One that takes more than `cpuSeconds`, however busy the
 * machine is, has met a loop without an end.
 */
export async function runTests(copy, files, { testTimeout = 60_000, cpuSeconds = 60 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'hushrec-mutant-report-'));
  const report = join(folder, 'report.json');
  try {
    const status = await run(copy, cpuSeconds, [
      ...['run', '--bail', '1', `--testTimeout=${testTimeout}`, `--hookTimeout=${2 * testTimeout}`],
      ...['--reporter=json', `--outputFile=${report}`, ...files],
    ]);
    if (status === 0) return { ended: 'passed', files };
    return status === null ? { ended: 'late', files: [] } : failureOf(copy, report);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The exit code; null where it was ended after its time. */
function run(copy, cpuSeconds, args) {
  return new Promise((resolve) => {
    const vitest = join(copy, 'node_modules/vitest/vitest.mjs');
    const child = spawn(
      'sh',
      ['-c', `ulimit -t ${cpuSeconds}; exec "$@"`, 'sh', process.execPath, vitest, ...args],
      { cwd: copy, stdio: 'ignore', timeout: mostMinutes * 60_000 },
    );
    child.on('close', resolve);
  });
}

function failureOf(copy, report) {
  let results;
  try {
    results = JSON.parse(readFileSync(report, 'utf8')).testResults;
  } catch {
    return { ended: 'died', files: [] };
  }
  const failed = results.filter(({ status }) => status === 'failed');
  const files = (chosen) => chosen.map(({ name }) => relative(copy, name));
  const otherwise = failed.filter((result) => messagesOf(result).some((text) => !isTimeLimit.test(text)));
  if (otherwise.length > 0) return { ended: 'failed', files: files(otherwise) };
  return failed.length > 0 ? { ended: 'late', files: files(failed) } : { ended: 'died', files: [] };
}

/** What was said of each failed test of a file, or of the file where it could not be loaded. */
function messagesOf({ message, assertionResults }) {
  const tests = assertionResults.filter(({ status }) => status === 'failed');
  return tests.length > 0 ? tests.map(({ failureMessages }) => failureMessages.join('\n')) : [message ?? ''];
}
