import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const program = fileURLToPath(new URL('../run.mjs', import.meta.url));

// The short run; `npm run fuzz -- --long` tries the large numbers.
it('finds no damaged input that is accepted, hangs, aborts or is refused without a kind', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [program, 'fuzz'], {
    maxBuffer: 1 << 20,
  }).catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? String(error) }));
  process.stdout.write(stdout);
  expect(stdout).toContain('No fault.');
  expect(stdout).not.toContain('fault:');
  for (const target of [
    ...['import', 'datasets', 'models', 'http', 'ledger', 'commands', 'documents'],
    ...['federated', 'state'],
  ])
    expect(stdout).toMatch(new RegExp(`^${target}: .*\n {2}\\d+ tried`, 'm'));
}, 3_600_000);
