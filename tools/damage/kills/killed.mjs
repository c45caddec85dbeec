import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const worker = fileURLToPath(new URL('worker.mjs', import.meta.url));
const namespace = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--kill-child=KILL'];
/** Whether this system lets a process be number 1 of a namespace of its own, as in a container. */
export const hasNamespaces = spawnSync(namespace[0], [...namespace.slice(1), 'true']).status === 0;
export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const ended = (child) => new Promise((resolve) => child.once('close', resolve));

/** Starts a program that says something first. `asFirst`: as process 1 of a namespace. */
export function started(args, asFirst) {
  const [command, ...rest] = [...(asFirst ? namespace : []), process.execPath, ...args];
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
  const lines = [];
  let words = '';
  child.stderr.on('data', (text) => (words = (words + text).slice(-500)));
  const end = ended(child);
  const first = new Promise((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      resolve(line);
    });
  });
  return { child, lines, end, first: Promise.race([first, end.then(() => undefined)]), words: () => words };
}

/**
 * Starts the work, kills it a moment after its first word, and gives what it told until then. Without
 * `mostMs` it comes to its end.
 */
export async function killed(args, { asFirst, mostMs, random }) {
  const { child, lines, end, first, words } = started([worker, ...args], asFirst);
  if (mostMs !== undefined) {
    await first;
    const timer = setTimeout(() => child.kill('SIGKILL'), random.below(Math.ceil(mostMs)));
    await end;
    clearTimeout(timer);
  }
  const code = await end;
  if (code !== null && code !== 0) throw new Error(`it failed by itself (${code}): ${words()}`);
  return { told: lines, wasKilled: code === null };
}
