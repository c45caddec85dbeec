import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

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
