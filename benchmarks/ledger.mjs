// What a decision of the ledger costs when it is long, and how three processes that spend at once fare on a
// busy machine. `node benchmarks/ledger.mjs spend <ledger> <count>` is one of the three.
import { fork, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openLedger } from '@hushrec/ledger';
import { filledAccount, fillLedger } from '../packages/ledger/dist/filled-ledger.test.data.js';

const protection = { unit: 'user', relation: 'add-remove' };
const charge = { kind: 'event', event: { kind: 'gaussian', sensitivity: 1, noise: 100_000 } };
const own = fileURLToPath(import.meta.url);
const ended = (child) => new Promise((resolve) => child.once('exit', resolve));

/** Spends one after the other; the milliseconds each took, on the clock and on the processor. */
async function spends(file, count, who) {
  const took = [];
  for (let k = 0; k < count; k++) {
    const [clock, before] = [performance.now(), process.cpuUsage()];
    const ledger = await openLedger(file);
    const jobKey = `${who} ${k}`;
    await ledger.spend({ account: filledAccount, jobKey, method: 'dpals', protection, charge });
    const { user, system } = process.cpuUsage(before);
    await ledger.close();
    took.push({ clock: performance.now() - clock, processor: (user + system) / 1000 });
  }
  return took;
}

const inOrder = (took, which) => took.map((each) => each[which]).sort((a, b) => a - b);
const words = (values) =>
  `${values[values.length >> 1].toFixed(1)} ms, at most ${values.at(-1).toFixed(1)} ms`;

/** `busy`: processes that do nothing but compute, while three spend. */
export async function ledgerBenchmark({ entries = 100_000, decisions = 30, busy = 16, each = 20 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'hushrec-ledger-benchmark-'));
  const others = [];
  try {
    const file = join(folder, 'ledger.sqlite');
    await fillLedger(file, entries);
    await spends(file, 3, 'first');
    const took = await spends(file, decisions, 'alone');
    const [processor, clock] = [inOrder(took, 'processor'), inOrder(took, 'clock')];
    console.log(
      `a decision on ${entries} entries, opening the ledger and writing: median of ${decisions} on the processor ${words(processor)}; on the clock ${words(clock)}`,
    );
    for (let k = 0; k < busy; k++) others.push(spawn(process.execPath, ['-e', 'for (;;);']));
    const began = performance.now();
    const three = [1, 2, 3].map(() => fork(own, ['spend', file, String(each)]));
    const told = three.map((child) => new Promise((resolve) => child.once('message', resolve)));
    const codes = await Promise.all(three.map(ended));
    const seconds = (performance.now() - began) / 1000;
    const finished = codes.filter((code) => code === 0).length;
    const waits = finished === 3 ? (await Promise.all(told)).map((ms) => `${(ms / 1000).toFixed(1)} s`) : [];
    console.log(
      `three processes, ${each} spends each, beside ${busy} that compute (load ${loadavg()[0].toFixed(0)} on ${availableParallelism()} cores): ${finished} finished in ${seconds.toFixed(0)} s; the longest spend of each took ${waits.join(', ')}`,
    );
    const ledger = await openLedger(file);
    const count = (await ledger.entries()).length;
    await ledger.close();
    console.log(`${count - entries - 3 - decisions} of ${3 * each} spends are in the ledger`);
    return { processor, clock, finished };
  } finally {
    for (const other of others) other.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

const [what, file, count] = process.argv.slice(2);
if (what === 'spend' && process.send) {
  const took = await spends(file, Number(count), process.pid);
  process.send(inOrder(took, 'clock').at(-1), () => process.disconnect());
}
