import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, it } from 'vitest';

/** The built command: signals and exit codes are those of a process. */
const program = fileURLToPath(new URL('../../bin/hushrec.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'hushrec-serve-'));
mkdirSync(join(folder, 'models'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function serve(...args: string[]) {
  const child = spawn(process.execPath, [program, 'serve', '--models', join(folder, 'models'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let said = '';
  child.stderr.on('data', (text) => {
    said += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const until = async (pattern: RegExp): Promise<string> => {
    for (let k = 0; k < 600; k++) {
      const found = pattern.exec(said);
      if (found !== null) return found[1];
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`Waited in vain for ${pattern}; it said: ${said}`);
  };
  return { child, ended, until, said: () => said };
}

describe('hushrec serve', () => {
  it('serves until it is told to stop, then ends in order', async () => {
    const { child, ended, until } = serve('--port', '0');
    const url = await until(/Serving on (\S+)/);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(url)).headers.get('content-type')).toContain('text/html');
    expect(await until(/(\/#token=\S{20,})/)).toBeTruthy();
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  it('refuses to let other machines in without tokens, and says how', async () => {
    const { ended, said } = serve('--host', '0.0.0.0');
    expect(await ended).toBe(2);
    expect(said()).toContain('--token-file');
  });
});
