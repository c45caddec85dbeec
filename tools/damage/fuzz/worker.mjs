// One target in a process of its own: cases from a number on, told to the parent before and after each, so
// that an abort, a hang or a leak is known by the number of its case.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomOf } from '../random.mjs';

const [target, seed, from, to] = process.argv.slice(2);
const { prepare } = await import(`./targets/${target}.mjs`);
const folder = mkdtempSync(join(tmpdir(), `hushrec-fuzz-${target}-`));
const tell = (message) => new Promise((done) => process.send(message, done));
try {
  const { attempt, close } = await prepare(folder);
  process.send({ ready: true });
  for (let number = Number(from); number < Number(to); number++) {
    await tell({ begin: number });
    const outcome = await attempt(randomOf(Number(seed), number), number);
    process.send({ end: number, outcome, memory: process.memoryUsage.rss() });
  }
  await close?.();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.disconnect();
