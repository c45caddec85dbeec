import { type ChildProcess, fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { RunProgress } from '../state/run.js';
import { parseProgressLine } from './progress-line.js';

/** How a command ended. */
export interface CommandEnd {
  /** Null when it was killed by a signal or could not be started. */
  readonly exitCode: number | null;
  /** What it printed as JSON; null when that is not an object. */
  readonly result: Readonly<Record<string, unknown>> | null;
  /** Its last words to people. */
  readonly message: string;
}

/** A command of the command line in a process of its own. */
export interface CommandProcess {
  /** Asks it to stop as Ctrl-C does, and kills it when it takes longer. */
  stop(graceMs: number): void;
  readonly ended: Promise<CommandEnd>;
}

/** Loaded from the build: a worker process cannot run TypeScript. */
const workerFile = fileURLToPath(new URL('../../dist/jobs/worker-process.js', import.meta.url));
const mostOutput = 1 << 20;

/** Starts `main(args)` of the module in a new process, reporting its progress. */
export function startCommand(
  commandLine: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  onProgress: (progress: RunProgress) => void,
): CommandProcess {
  const child = fork(workerFile, [commandLine, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // What a server trains with is what it came with: whatever lies in its folder, no plug-in is loaded.
    env: { ...process.env, ...environment, HUSHREC_PROGRESS: 'json', HUSHREC_PLUGINS: 'none' },
    execArgv: [],
  });
  let output = '';
  let message = '';
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    if (output.length < mostOutput) output += text;
  });
  createInterface({ input: child.stderr! }).on('line', (line) => {
    const progress = parseProgressLine(line);
    if (progress !== undefined) onProgress(progress);
    else if (line.trim() !== '') message = line.slice(0, 1000);
  });
  const ended = new Promise<CommandEnd>((resolve) => {
    child.once('error', (error) =>
      resolve({
        exitCode: null,
        result: null,
        message: `The process could not be started: ${error.message}`,
      }),
    );
    child.once('close', (exitCode) => resolve({ exitCode, result: parseResult(output), message }));
  });
  return { stop: (graceMs) => terminate(child, graceMs), ended };
}

function terminate(child: ChildProcess, graceMs: number): void {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  child.once('close', () => clearTimeout(timer));
}

function parseResult(output: string): Readonly<Record<string, unknown>> | null {
  try {
    const parsed: unknown = JSON.parse(output);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
