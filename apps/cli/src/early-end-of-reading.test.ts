import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const program = fileURLToPath(new URL('../bin/hushrec.js', import.meta.url));

it('ends well when the reader of its output goes away', async () => {
  const child = spawn(process.execPath, [program, 'train', '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  let complaints = '';
  child.stderr.on('data', (text) => {
    complaints += text;
  });
  const [code] = await once(child, 'exit');
  expect({ code, complaints }).toEqual({ code: 0, complaints: '' });
});

describe('a server whose log', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hushrec-unread-'));
  mkdirSync(join(folder, 'models'));
  const tokens = join(folder, 'tokens.txt');
  const token = 'operator-token-of-this-test';
  writeFileSync(tokens, `operator ${token}\n`);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const serve = (port: number, log: 'pipe' | number) =>
    spawn(
      process.execPath,
      [program, 'serve', '--models', join(folder, 'models'), '--port', String(port), '--token-file', tokens],
      { stdio: ['ignore', 'ignore', log] },
    );
  const answers = async (url: string) => {
    for (let k = 0; k < 4; k++) {
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      // Longer than lines of the log are gathered.
      await pause(80);
    }
    const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    return Number(/^hushrec_log_lines_lost (\d+)$/m.exec(await metrics.text())?.[1]);
  };

  it('nobody reads any more answers as before, counts what is lost and stops when asked', async () => {
    const child = serve(0, 'pipe');
    try {
      const lines = createInterface({ input: child.stderr! });
      const [line] = (await once(lines, 'line')) as [string];
      const url = /Serving on (\S+)/.exec(line)![1];
      child.stderr!.destroy();
      expect(await answers(url)).toBeGreaterThan(2);
    } finally {
      child.kill('SIGTERM');
    }
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it.skipIf(process.platform !== 'linux')('lies on a full disk answers as before', async () => {
    const port = 20_000 + (process.pid % 20_000);
    const child = serve(port, openSync('/dev/full', 'w'));
    try {
      const url = `http://127.0.0.1:${port}`;
      while ((await fetch(`${url}/readyz`).catch(() => undefined)) === undefined) {
        expect(child.exitCode).toBeNull();
        await pause(50);
      }
      expect(await answers(url)).toBeGreaterThan(2);
    } finally {
      child.kill('SIGTERM');
    }
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
