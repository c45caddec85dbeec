import { vi } from 'vitest';
import { main } from './main.js';

/** Trains a small `dpals`: the quickest run that spends. */
export const trainDpals = (data: string, epsilon: number, delta: number, out: string, ...flags: string[]) =>
  runCommand(
    ...['train', data, '--method', 'dpals', '--set', 'rank=2', '--threads', '1', '--out', out],
    ...['--epsilon', String(epsilon), '--delta', String(delta), ...flags],
  );

/** Runs one command in this process; what it printed, parsed where it is JSON. */
export async function runCommand(...args: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const write = (to: string[]) => (text: unknown, done?: unknown) => {
    to.push(String(text));
    if (typeof done === 'function') done();
    return true;
  };
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(write(out) as typeof process.stdout.write),
    vi.spyOn(process.stderr, 'write').mockImplementation(write(err) as typeof process.stderr.write),
  ];
  try {
    const code = await main(args);
    const text = out.join('');
    return { code, text, errors: err.join(''), json: text.startsWith('{') ? JSON.parse(text) : undefined };
  } finally {
    for (const spy of spies) spy.mockRestore();
    process.exitCode = 0;
  }
}
