// Roles of a small federated run as the commands that people start: processes that talk TLS to each other on
// this machine, in circumstances that a test chooses.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { freePort } from '@hushrec/testing';
import { expect } from 'vitest';
import { runCommand } from '../run-command.test.data.js';

const program = fileURLToPath(new URL('../../bin/hushrec.js', import.meta.url));

/** Loaded before a program. */
const circumstances = {
  /** Its disk has no room as long as the file that FULL names is there. */
  'full disk': `
import { existsSync } from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
const { open } = files;
files.open = async (...given) => {
  const file = await open(...given);
  const { writeFile } = file;
  file.writeFile = async (...bytes) => {
    if (existsSync(process.env.FULL))
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' });
    return writeFile.apply(file, bytes);
  };
  return file;
};
syncBuiltinESMExports();
`,
  /** Its clock is wrong by DAYS. */
  'wrong clock': `
const Right = Date;
const wrong = () => Right.now() + 86_400_000 * Number(process.env.DAYS);
globalThis.Date = class extends Right {
  constructor(...given) {
    super(...(given.length === 0 ? [wrong()] : given));
  }
  static now() {
    return wrong();
  }
};
`,
  /** It waits a thousandth of the time that it says. */
  haste: `
const { setTimeout } = globalThis;
globalThis.setTimeout = (act, milliseconds, ...more) => setTimeout(act, milliseconds / 1000, ...more);
`,
} as const;

const each = (flag: string, values: string | readonly string[]) =>
  [values].flat().flatMap((value) => [flag, value]);

export interface Ended {
  readonly code: number;
  readonly text: string;
  readonly errors: string;
}

/** A command that was started. */
export interface Started {
  readonly ended: Promise<Ended>;
  readonly pid: number;
  /** What it has said to people so far. */
  said(): string;
  /** Waits until it has said so. */
  says(words: RegExp): Promise<void>;
  stop(): Promise<Ended>;
}

interface Surroundings {
  readonly in?: keyof typeof circumstances;
  readonly env?: Readonly<Record<string, string>>;
}

/** Parties `a` and `b`, aggregators `north` and `south`, and `board`: a folder each. */
export class SmallFederation {
  readonly folder = mkdtempSync(join(tmpdir(), 'hushrec-small-federation-'));
  /** While this file is there, disks are full. */
  readonly full = this.at('full');
  readonly #running = new Set<ChildProcess>();
  readonly #hosts = new Map<string, string>();

  at(...path: string[]): string {
    return join(this.folder, ...path);
  }

  card(name: string): string {
    return this.at(name, 'identity.json');
  }

  /** Ratings, items and identities. */
  async prepare(): Promise<void> {
    const items = Array.from({ length: 8 }, (_, item) => `book-${item}`);
    writeFileSync(this.at('items.csv'), `item\n${items.join('\n')}\n`);
    for (const [index, party] of ['a', 'b'].entries()) {
      const rows = Array.from(
        { length: 40 },
        (_, row) => `r${row % 10},${items[(row * 3 + index) % 8]},${1 + (row % 5)}`,
      );
      writeFileSync(this.at(`${party}.csv`), `user,item,rating\n${rows.join('\n')}\n`);
    }
    for (const [name, text] of Object.entries(circumstances)) writeFileSync(this.#preload(name), text);
    for (const name of ['board', 'north', 'south', 'a', 'b']) {
      this.#hosts.set(name, `127.0.0.1:${await freePort()}`);
      await this.hushrec(
        ...['federate', 'identity', this.at(name), '--name', name],
        ...['--url', `https://${this.#hosts.get(name)}`],
      );
    }
  }

  /**
   * A charter of three exchanges among parties, or of windows for devices, that both aggregators have signed.
   */
  async charter(name: string, windows?: { readonly opens: Date; readonly seconds: number }): Promise<string> {
    const who =
      windows === undefined
        ? { parties: [this.card('a'), this.card('b')] }
        : { opens: windows.opens.toISOString(), window: windows.seconds };
    const request = {
      ...{ catalogue: this.at('items.csv'), scale: '1:5:1', epsilon: 20, people: 100 },
      ...{ method: 'dpals', settings: { rank: 2, rounds: 1 } },
      ...{ coordinator: this.card('board'), aggregators: [this.card('north'), this.card('south')] },
      ...who,
    };
    writeFileSync(this.at(`${name}.json`), JSON.stringify(request));
    await this.hushrec('federate', 'charter', this.at(name), this.at(`${name}.json`));
    const file = this.at(name, 'charter.json');
    for (const signer of ['north', 'south'])
      await this.hushrec('federate', 'sign', file, '--identity', this.at(signer));
    return join(name, 'charter.json');
  }

  /** In this process, which saves the start of another. */
  async hushrec(...args: string[]): Promise<string> {
    const { code, text, errors } = await runCommand(...args);
    expect(code, `hushrec ${args.join(' ')}\n${errors}`).toBe(0);
    return text;
  }

  aggregator(name: string, charter: string | readonly string[], surroundings?: Surroundings): Started {
    const listen = ['--listen', this.#hosts.get(name)!];
    return this.start(['aggregator', name, ...each('--charter', charter), ...listen], surroundings);
  }

  /** It shows its log until it is stopped. */
  coordinator(
    charter: string | readonly string[],
    surroundings: Surroundings & { readonly out?: string | readonly string[] } = {},
  ): Started {
    const listen = ['--listen', this.#hosts.get('board')!, '--linger', '86400'];
    const { out = 'model' } = surroundings;
    return this.start(
      ['coordinator', 'board', ...each('--charter', charter), ...each('--out', out), ...listen],
      surroundings,
    );
  }

  /** With what somebody shows who they are on a line. */
  tlsOf(name: string): { readonly key: string; readonly cert: string } {
    const { certificate } = JSON.parse(readFileSync(this.card(name), 'utf8')) as { certificate: string };
    return { key: readFileSync(this.at(name, 'tls-key.pem'), 'utf8'), cert: certificate };
  }

  party(
    name: string,
    charter: string,
    surroundings: Surroundings & { readonly ratings?: string; readonly out?: string } = {},
  ): Started {
    const { ratings = `${name}.csv`, out } = surroundings;
    return this.start(
      [
        ...['party', name, '--charter', charter, '--ratings', ratings],
        ...['--trust', this.card('north'), '--new-ledger', '--json'],
        ...(out === undefined ? [] : ['--out', out]),
      ],
      surroundings,
    );
  }

  start(args: readonly string[], { in: circumstance, env = {} }: Surroundings = {}): Started {
    const before =
      circumstance === undefined ? [] : [`--import=${pathToFileURL(this.#preload(circumstance)).href}`];
    const child = spawn(process.execPath, [...before, program, 'federate', ...args], {
      cwd: this.folder,
      env: { ...process.env, HUSHREC_LEDGER: this.at(`${args[1]}.sqlite`), FULL: this.full, ...env },
    });
    this.#running.add(child);
    let text = '';
    let errors = '';
    child.stdout.on('data', (chunk) => (text += chunk));
    child.stderr.on('data', (chunk) => (errors += chunk));
    const ended = new Promise<Ended>((resolve) =>
      child.once('close', (code) => {
        this.#running.delete(child);
        resolve({ code: code ?? -1, text, errors });
      }),
    );
    const says = async (words: RegExp) => {
      const over = ended.then(() => Promise.reject(new Error(`it ended without ${words}: ${errors}`)));
      over.catch(() => undefined);
      while (!words.test(errors))
        await Promise.race([new Promise((resolve) => setTimeout(resolve, 50)), over]);
    };
    const stop = () => {
      child.kill('SIGKILL');
      return ended;
    };
    return { ended, pid: child.pid!, says, said: () => errors, stop };
  }

  #preload(name: string): string {
    mkdirSync(this.at('circumstances'), { recursive: true });
    return this.at('circumstances', `${name.replaceAll(' ', '-')}.mjs`);
  }

  end(): void {
    for (const child of this.#running) child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}
