// npm run faults [-- --only import,train] [--every 5] Fails the n-th open, write, sync, rename, link, removal
// or truncation of every durable operation, for n = 1, 2, 3 … until the operation passes (with --every k each
// k-th point): a full disk, an I/O error, a torn write, a short write, power loss (writes and names that were
// not synced are lost, torn or reordered; five states of the disk each). After each: the old state or the new
// one, whole; whatever was told is there; spent at least what was released; and the next command works.
import { fork, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { operations } from './operations.mjs';

const kinds = {
  f: 'full disk',
  e: 'I/O error',
  t: 'torn write',
  s: 'short write',
  p: 'power loss',
};
export const options = {
  kinds: { type: 'string', default: Object.keys(kinds).join('') },
  every: { type: 'string', default: '1' },
  from: { type: 'string', default: '1' },
};
/** Longer than any point takes on a busy machine. */
const longestPointMs = 300_000;
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

export function targetsOf({ every, ...values }) {
  const work = mkdtempSync(join(tmpdir(), 'hushrec-faults-'));
  const close = () => rmSync(work, { recursive: true });
  const library = join(work, 'faulty-libc.so');
  const compiler = ['-O1', '-shared', '-fPIC', '-o', library, here('faulty-libc.c'), '-ldl', '-lpthread'];
  const built = spawnSync('cc', compiler);
  const stands =
    built.status === 0 &&
    spawnSync(process.execPath, ['-e', ''], { env: { ...process.env, LD_PRELOAD: library } }).status === 0;
  if (!stands) {
    close();
    const needs = 'this needs Linux with the GNU C library and a C compiler (cc).';
    return { targets: [], whyNot: `No faults injected: ${needs} ${built.stderr ?? ''}` };
  }
  const env = { ...process.env, LD_PRELOAD: library, HUSHREC_FAULTS_RECORD: join(work, 'record') };
  const run = (name) => async (report) => {
    let next = { kinds: values.kinds, from: Number(values.from) };
    while (next !== undefined) next = await inject(name, next, { every, env }, report);
  };
  return { targets: operations.map(({ name }) => ({ name, run: run(name) })), close };
}

/**
 * Points from one on, over the kinds, until the operation passes under the last or the process ends; gives
 * where to go on.
 */
function inject(operation, { kinds: chosen, from }, { every, env }, report) {
  const point = ({ kind, begin }) => `--only ${operation} --kinds ${kind} --from ${begin}`;
  return new Promise((resolve) => {
    const child = fork(here('driver.mjs'), [operation, chosen, String(from), every], {
      env,
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
      for (const [at, fault] of faults.entries())
        report.fault(point({ kind, begin: end }), `${kinds[kind]}: ${fault}`, at === 0 ? 1 : 0);
      if (failed && faults.length === 0) report.tried(`× ${kinds[kind]}`);
    });
    child.once('close', (code, signal) => {
      clearTimeout(hangs);
      if (code === 0) return resolve(undefined);
      const how = signal ?? `exit code ${code}`;
      report.fault(
        point(now),
        `${kinds[now.kind]}: ended the process (${how}): ${words.trim().slice(0, 600)}`,
      );
      // What fails before any fault is injected fails the same way at every point.
      if (!isPrepared) return resolve(undefined);
      resolve({
        kinds: chosen.slice(chosen.indexOf(now.kind)),
        from: now.begin + Number(every),
      });
    });
  });
}
