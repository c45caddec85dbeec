import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/**
 * OpenBLAS falls back to its oldest kernels on processors it does not know: the core type is forced, and
 * printed.
 */
function coreType() {
  if (process.env.OPENBLAS_CORETYPE) return process.env.OPENBLAS_CORETYPE;
  try {
    const flags = readFileSync('/proc/cpuinfo', 'utf8');
    if (/\bavx512vl\b/.test(flags)) return 'SKYLAKEX';
    if (/\bavx2\b/.test(flags)) return 'HASWELL';
  } catch {
    return undefined;
  }
  return undefined;
}

/** Python with numpy and scipy, or undefined with the reason printed. */
export async function openPeers(python) {
  const probe = spawnSync(python, ['-c', 'import numpy, scipy'], { encoding: 'utf8' });
  if (probe.status !== 0) {
    console.log(`No comparison with OpenBLAS and implicit: ${python} has no numpy and scipy.`);
    return undefined;
  }
  const forced = coreType();
  const env = { ...process.env, OPENBLAS_NUM_THREADS: '1', OMP_NUM_THREADS: '1', MKL_NUM_THREADS: '1' };
  if (forced !== undefined) env.OPENBLAS_CORETYPE = forced;
  const child = spawn(python, [fileURLToPath(new URL('peers.py', import.meta.url))], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const request = async (operation, more = {}) => {
    child.stdin.write(`${JSON.stringify({ operation, ...more })}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error('The Python process of the comparison ended early.');
    const answer = JSON.parse(value);
    if (answer.error !== undefined) throw new Error(`${operation}: ${answer.error}`);
    return answer;
  };
  const about = await request('describe');
  console.log(
    `Peers: numpy ${about.numpy}, scipy ${about.scipy}, OpenBLAS core type ${about.coreType} (forced ${forced ?? 'none'}), implicit ${about.implicit ?? 'not installed'}${about.compiler ? '' : ', no C compiler: no OpenBLAS user step'}`,
  );
  const folder = mkdtempSync(join(tmpdir(), 'hushrec-bench-'));
  const write = (name, array) =>
    writeFileSync(join(folder, name), Buffer.from(array.buffer, array.byteOffset, array.byteLength));
  return {
    about,
    /** Least time in milliseconds is taken by the caller; this is one run. */
    time: async (operation, more) => (await request(operation, more)).ms,
    /** How far our result of an operation is from the peer's, in the worst row, relative to the row. */
    async difference(operation, more, ours) {
      write('ours.f32', ours);
      return (await request(operation, { ...more, ours: 'ours.f32' })).difference;
    },
    folder,
    write,
    async load(arrays, more) {
      for (const [name, array] of Object.entries(arrays)) write(name, array);
      await request('load', { folder, ...more });
    },
    close() {
      child.stdin.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
