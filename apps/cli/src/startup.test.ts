import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const bin = fileURLToPath(new URL('../bin/hushrec.js', import.meta.url));
const told = `data:text/javascript,process.on('exit', () => { const { user, system } = process.cpuUsage(); process.stdout.write('CPU ' + (user + system)); })`;

/** Processor time in milliseconds: the least of several runs, because neighbours only ever add to it. */
async function leastCpu(...args: string[]): Promise<number> {
  const runs: number[] = [];
  for (let run = 0; run < 5; run++) {
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', told, ...args]);
    runs.push(Number(/CPU (\d+)$/.exec(stdout)![1]) / 1000);
  }
  return Math.min(...runs);
}

// A command loads only what it needs: all commands together took 210 ms.
it.each(['--version', 'recommend --help'])('%s starts in 120 ms above Node itself', async (line) => {
  const above = (await leastCpu(bin, ...line.split(' '))) - (await leastCpu('-e', '0'));
  expect(above).toBeLessThan(120);
});
