import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { CommandError, exitCodes } from './exit-codes.js';

/** The module of the whole command line, for commands that run in processes of their own. */
export const commandLineModule: string = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** Runs the module that is named first with the arguments that follow. */
const start =
  'const { main } = await import(process.argv[1]); process.exitCode = await main(process.argv.slice(2));';

/** A command that runs beside this one. */
export interface OwnProcess {
  /** What it printed as JSON. @throws CommandError with its last words, where it failed */
  readonly ended: Promise<Readonly<Record<string, unknown>>>;
  /** Asks it to stop, as Ctrl-C does. */
  interrupt(): void;
  /** Ends it at once; nothing if it has ended. */
  kill(): void;
}

/** Starts a command with `--json` in a process of its own; `said` is told every line for people. */
export function startCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  said: (line: string) => void,
): OwnProcess {
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', start, pathToFileURL(commandLineModule).href, ...args, '--json'],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...environment } },
  );
  let output = '';
  let last = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (line.trim() !== '') last = line;
    said(line);
  });
  const ended = new Promise<Readonly<Record<string, unknown>>>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve(JSON.parse(output) as Readonly<Record<string, unknown>>);
      else
        reject(
          new CommandError(
            code ?? exitCodes.failed,
            `hushrec ${args.slice(0, 3).join(' ')} ${signal === null ? 'failed' : `was ended by ${signal}`}: ${last}`,
          ),
        );
    });
  });
  ended.catch(() => undefined);
  return { ended, interrupt: () => void child.kill('SIGINT'), kill: () => void child.kill('SIGKILL') };
}
