import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openLedger } from '@hushrec/ledger';

/** The program that `hushrec` starts. */
export const hushrec = fileURLToPath(new URL('../bin/hushrec.js', import.meta.url));

export interface CommandResult {
  readonly code: number | null;
  readonly text: string;
  readonly errors: string;
}

/** Runs a program in a process of its own, to its end unless it is killed. */
export function started(
  program: string,
  args: readonly string[],
  cwd: string,
  variables: Readonly<Record<string, string>>,
): Promise<CommandResult> & { readonly child: ReturnType<typeof spawn> } {
  const child = spawn(program, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...variables },
  });
  let [text, errors] = ['', ''];
  child.stdout.on('data', (part) => {
    text += part;
  });
  child.stderr.on('data', (part) => {
    errors += part;
  });
  const ended = new Promise<CommandResult>((resolve) =>
    child.once('close', (code) => resolve({ code, text, errors })),
  );
  return Object.assign(ended, { child });
}

/** How many charges a ledger holds. */
export async function spends(location: string): Promise<number> {
  if (!existsSync(location)) return 0;
  const ledger = await openLedger(location);
  try {
    return (await ledger.entries()).filter(({ event }) => event.kind === 'spend').length;
  } finally {
    await ledger.close();
  }
}
