import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand } from './run-command.test.data.js';

const bin = fileURLToPath(new URL('../bin/hushrec.js', import.meta.url));
const told = `data:text/javascript,process.on('exit', () => { const { user, system } = process.cpuUsage(); process.stdout.write('CPU ' + (user + system)); })`;
const folder = mkdtempSync(join(tmpdir(), 'hushrec-startup-'));
const at = (name: string) => join(folder, name);
beforeAll(async () => {
  await runCommand('generate', at('data'), '--people', '60', '--items', '40', '--ratings', '900');
  await runCommand('train', at('data'), '--method', 'als', '--threads', '1', '--out', at('model'));
  writeFileSync(at('history.csv'), 'item,rating\n1,5\n2,3\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

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

it('recommends in 250 ms, Node included', async () => {
  expect(await leastCpu(bin, 'recommend', at('model'), '--history', at('history.csv'))).toBeLessThan(250);
});
