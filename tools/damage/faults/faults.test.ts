import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const program = fileURLToPath(new URL('../run.mjs', import.meta.url));

// Some points of every operation; `npm run faults` goes through all of them.
it('leaves the old or the new state whatever call of the C library fails', async ({ skip }) => {
  const { stdout } = await promisify(execFile)(process.execPath, [program, 'faults', '--every', '61'], {
    maxBuffer: 1 << 20,
  }).catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? String(error) }));
  process.stdout.write(stdout);
  if (stdout.startsWith('No faults injected')) skip(stdout);
  expect(stdout).not.toContain('fault:');
  const [, points] = /^(\d+) tried\. No fault\.$/m.exec(stdout) ?? [];
  expect(Number(points)).toBeGreaterThan(80);
});
