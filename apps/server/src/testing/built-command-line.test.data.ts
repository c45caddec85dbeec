import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

/** The built command line: what a person types. */
const program = fileURLToPath(new URL('../../../cli/bin/hushrec.js', import.meta.url));

/** Commands and a server, as they are typed in a folder. */
export function builtCommandLine(folder: string) {
  let server: ChildProcess | undefined;
  const close = () => server?.kill('SIGKILL');
  return {
    close,
    /** What a command prints, once it has done what it was told; its words to people beside it. */
    hushrec(...args: string[]): { readonly stdout: string; readonly stderr: string } {
      const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
        cwd: folder,
        encoding: 'utf8',
      });
      expect(status, stderr).toBe(0);
      return { stdout, stderr };
    },
    /** The address and the operator's token, as they are printed. A server that runs makes place. */
    async serve(...args: string[]): Promise<{ url: string; token: string | undefined }> {
      close();
      server = spawn(process.execPath, [program, 'serve', ...args, '--port', '0'], {
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let said = '';
      for await (const line of createInterface({ input: server.stderr! })) {
        said += `${line}\n`;
        const url = /Serving on (\S+)/.exec(said)?.[1];
        const token = /token=(\S+)/.exec(said)?.[1];
        if (url !== undefined && (token !== undefined || !args.includes('--data'))) return { url, token };
      }
      throw new Error(said);
    },
  };
}
