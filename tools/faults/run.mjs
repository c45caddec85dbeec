// npm run faults [-- --only import,train] [--every 5] Fails the n-th open, write, sync, rename, link, removal
// or truncation of every durable operation, for n = 1, 2, 3 … until the operation passes (with --every k each
// k-th point): a full disk, an I/O error, a torn write, a short write, power loss (writes and names that were
// not synced are lost, torn or reordered; five states of the disk each). After each: the old state or the new
// one, whole; whatever was told is there; spent at least what was released; and the next command works.
// Prints the number of points; exit code 1 when anything was wrong.
import { fork, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { operations } from './operations.mjs';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    kinds: { type: 'string' },
    every: { type: 'string', default: '1' },
    from: { type: 'string', default: '1' },
  },
});
const kinds = {
  f: 'full disk',
  e: 'I/O error',
  t: 'torn write',
  s: 'short write',
  p: 'power loss',
};
/** Longer than any point takes on a busy machine. */
const longestPointMs = 300_000;
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'hushrec-faults-'));
const library = join(work, 'faulty-libc.so');
const built = spawnSync('cc', [
  '-O1',
  '-shared',
  '-fPIC',
  '-o',
  library,
  here('faulty-libc.c'),
  '-ldl',
  '-lpthread',
]);
const stands =
  built.status === 0 &&
  spawnSync(process.execPath, ['-e', ''], { env: { ...process.env, LD_PRELOAD: library } }).status === 0;
if (!stands) {
  console.log(
    `No faults injected: this needs Linux with the GNU C library and a C compiler (cc). ${built.stderr ?? ''}`,
  );
  rmSync(work, { recursive: true });
  process.exit(2);
}

/**
 * Points from one on, over the kinds, until the operation passes under the last or the process ends; gives
 * where to go on.
 */
function inject(operation, chosen, from, report) {
  return new Promise((resolve) => {
    const child = fork(here('driver.mjs'), [operation, chosen, String(from), values.every], {
      env: { ...process.env, LD_PRELOAD: library, HUSHREC_FAULTS_RECORD: join(work, 'record') },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    let words = '';
    let now = { kind: chosen[0], begin: from };
    let isPrepared = false;
    let hangs;
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => (words = (words + text).slice(-1500)));
    child.on('message', (message) => {
      clearTimeout(hangs);
      if (message.begin !== undefined) {
        now = message;
        isPrepared = true;
        hangs = setTimeout(() => child.kill('SIGKILL'), longestPointMs);
        return;
      }
      const { kind, end, failed, faults } = message;
      if (failed) report.point(kind);
      for (const fault of faults) report.fault(kind, `${end}: ${fault}`);
    });
    child.once('close', (code, signal) => {
      clearTimeout(hangs);
      if (code === 0) return resolve(undefined);
      report.point(now.kind);
      report.fault(
        now.kind,
        `${now.begin}: ended the process (${signal ?? `exit code ${code}`}): ${words.trim().slice(0, 600)}`,
      );
      // What fails before any fault is injected fails the same way at every point.
      if (!isPrepared) return resolve(undefined);
      resolve({
        kinds: chosen.slice(chosen.indexOf(now.kind)),
        from: now.begin + Number(values.every),
      });
    });
  });
}

let total = 0;
let wrong = 0;
for (const { name } of operations) {
  if (values.only !== undefined && !values.only.split(',').includes(name)) continue;
  const counts = new Map();
  let told = 0;
  const report = {
    point(kind) {
      total++;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    },
    fault(kind, what) {
      wrong++;
      if (++told <= 8) console.log(`  fault: ${name}, ${kinds[kind]} at call ${what}`);
    },
  };
  let next = { kinds: values.kinds ?? Object.keys(kinds).join(''), from: Number(values.from) };
  while (next !== undefined) next = await inject(name, next.kinds, next.from, report);
  console.log(`${name}: ${[...counts].map(([kind, count]) => `${count} × ${kinds[kind]}`).join(', ')}`);
}
rmSync(work, { recursive: true });
console.log(`${total} points of injection, ${wrong} faults.`);
process.exitCode = wrong === 0 ? 0 : 1;
