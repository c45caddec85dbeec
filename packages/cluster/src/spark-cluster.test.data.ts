import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '@hushrec/testing';

/** Folder of the Spark that `HUSHREC_PYTHON` has, or why there is none. */
export function sparkHome(): { readonly home: string } | { readonly missing: string } {
  const python = process.env['HUSHREC_PYTHON'];
  if (python === undefined) return { missing: 'HUSHREC_PYTHON names no Python with pyspark' };
  try {
    const program = 'import pyspark, os; print(os.path.dirname(pyspark.__file__))';
    const home = execFileSync(python, ['-c', program], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    execFileSync('java', ['-version'], { stdio: 'ignore' });
    return { home: home.trim() };
  } catch {
    return { missing: 'pyspark or Java is missing' };
  }
}

/** Folder of a Spark with the readers of Delta and Iceberg among its jars, or why there is none. */
export function sparkWithTables(): { readonly home: string } | { readonly missing: string } {
  const home = process.env['HUSHREC_SPARK_TABLES'];
  if (home === undefined) return { missing: 'HUSHREC_SPARK_TABLES names no Spark with Delta and Iceberg' };
  try {
    const jars = readdirSync(join(home, 'jars'));
    const isThere = (name: string) => jars.some((jar) => jar.startsWith(name));
    if (!['delta-spark', 'delta-storage', 'iceberg-spark-runtime', 'spark-connect_'].every(isThere))
      return { missing: 'the jars of Delta, Iceberg or Connect are missing' };
    execFileSync('java', ['-version'], { stdio: 'ignore' });
    return { home };
  } catch {
    return { missing: 'Spark or Java is missing' };
  }
}

const quickJava = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC';

const hosts = ['127.0.0.1', '127.0.0.2'] as const;

/** More options of a cluster, as in spark-defaults.conf. */
export interface ClusterOptions {
  readonly token?: string;
  readonly conf?: Readonly<Record<string, string>>;
  /** Everything in the process of the Connect server, without encryption: for what needs no machines. */
  readonly inOneProcess?: boolean;
  readonly executorMemory?: string;
  /** JVMs that start quickly and compile little: for short tests. */
  readonly quick?: boolean;
}

/**
 * A real cluster on this machine: a master, two workers on two addresses (Spark never copies a slow task to
 * the host it is slow on) and a Connect server, each a JVM of its own, with authentication and encryption.
 * Every process ends when this one does.
 */
export class SparkCluster {
  readonly folder: string;
  readonly #home: string;
  readonly #options: ClusterOptions;
  readonly #processes = new Map<string, ChildProcess>();
  #masterPort = 0;
  #port = 0;

  constructor(folder: string, home: string, options: ClusterOptions = {}) {
    this.folder = folder;
    this.#home = home;
    this.#options = options;
  }

  get port(): number {
    return this.#port;
  }

  async start(): Promise<void> {
    this.#masterPort = await freePort();
    this.#port = await freePort();
    const { conf = {}, token, inOneProcess = false } = this.#options;
    const options = {
      // Tasks that fetch classes from their own process over an encrypted channel wait for each other for two
      // minutes (Spark 4.1.4).
      ...(!inOneProcess && {
        'spark.authenticate': 'true',
        'spark.authenticate.secret': 'secret-of-this-test',
        'spark.network.crypto.enabled': 'true',
        'spark.io.encryption.enabled': 'true',
      }),
      'spark.ui.enabled': 'false',
      'spark.master.ui.port': '0',
      'spark.executor.memory': this.#options.executorMemory ?? '600m',
      'spark.driver.host': '127.0.0.1',
      'spark.driver.bindAddress': '127.0.0.1',
      'spark.connect.grpc.binding.port': String(this.#port),
      'spark.connect.grpc.binding.address': '127.0.0.1',
      'spark.local.dir': join(this.folder, 'scratch'),
      'spark.sql.warehouse.dir': join(this.folder, 'warehouse'),
      'spark.worker.cleanup.enabled': 'false',
      'spark.worker.timeout': '20',
      ...(this.#options.quick === true && { 'spark.executor.extraJavaOptions': quickJava }),
      ...(token !== undefined && { 'spark.connect.authenticate.token': token }),
      ...conf,
    };
    mkdirSync(join(this.folder, 'conf'), { recursive: true });
    mkdirSync(join(this.folder, 'logs'), { recursive: true });
    const lines = Object.entries(options).map(([key, value]) => `${key} ${value}\n`);
    writeFileSync(join(this.folder, 'conf', 'spark-defaults.conf'), lines.join(''));
    if (inOneProcess) return this.startConnect();
    this.#spawn('master', 'spark-class', [
      'org.apache.spark.deploy.master.Master',
      ...['--host', '127.0.0.1', '--port', String(this.#masterPort), '--webui-port', '0'],
    ]);
    await portOpen(this.#masterPort, 90_000);
    this.startWorker(0);
    this.startWorker(1);
    await this.startConnect();
  }

  startWorker(which: 0 | 1): void {
    this.#spawn(`worker-${which}`, 'spark-class', [
      'org.apache.spark.deploy.worker.Worker',
      ...['--host', hosts[which], '--cores', '1', '--memory', '2g'],
      ...['--work-dir', join(this.folder, `work-${which}`), '--webui-port', '0'],
      `spark://127.0.0.1:${this.#masterPort}`,
    ]);
  }

  async startConnect(): Promise<void> {
    const master = this.#options.inOneProcess === true ? 'local[2]' : `spark://127.0.0.1:${this.#masterPort}`;
    this.#spawn('connect', 'spark-submit', [
      ...['--class', 'org.apache.spark.sql.connect.service.SparkConnectServer'],
      ...['--master', master, '--name', 'connect', 'spark-internal'],
    ]);
    await portOpen(this.#port, 120_000);
  }

  /** Kills a daemon with everything it started, as a machine that loses its power. */
  async kill(name: 'worker-0' | 'worker-1' | 'connect'): Promise<void> {
    const child = this.#processes.get(name);
    if (child?.pid === undefined || child.exitCode !== null) return;
    const gone = new Promise((resolve) => child.once('close', resolve));
    process.kill(-child.pid, 'SIGKILL');
    await gone;
  }

  async stop(): Promise<void> {
    for (const name of this.#processes.keys()) await this.kill(name as 'connect');
  }

  /** Processes of this cluster whose command line has this in it. */
  processes(text: string): number[] {
    return processIds().filter((id) => {
      const line = commandLine(id);
      return line.includes(text) && environmentOf(id).includes(`SPARK_CONF_DIR=${join(this.folder, 'conf')}`);
    });
  }

  #spawn(name: string, command: string, args: readonly string[]): void {
    // When standard input closes, because this process ended in whatever way, the whole group goes.
    const script = '"$@" & cat > /dev/null; kill -9 0';
    const child = spawn('sh', ['-c', script, 'sh', join(this.#home, 'bin', command), ...args], {
      detached: true,
      cwd: this.folder,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {
        ...process.env,
        SPARK_HOME: this.#home,
        SPARK_CONF_DIR: join(this.folder, 'conf'),
        SPARK_LOCAL_IP: name === 'worker-1' ? hosts[1] : hosts[0],
        SPARK_DAEMON_MEMORY: name === 'connect' ? '700m' : '256m',
        ...(this.#options.quick === true && { SPARK_DAEMON_JAVA_OPTS: quickJava }),
        PATH: `${join(process.execPath, '..')}:${process.env['PATH']}`,
      },
    });
    const log = createWriteStream(join(this.folder, 'logs', `${name}.log`), { flags: 'a' });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    this.#processes.set(name, child);
  }
}

function processIds(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

function commandLine(id: number): string {
  return readOr(`/proc/${id}/cmdline`).replaceAll('\0', ' ');
}

function environmentOf(id: number): string {
  return readOr(`/proc/${id}/environ`);
}

function readOr(file: string): string {
  try {
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  } catch {
    return '';
  }
}

async function portOpen(port: number, within: number): Promise<void> {
  const until = Date.now() + within;
  for (;;) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = createConnection(port, '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (isOpen) return;
    if (Date.now() > until) throw new Error(`Nothing listens on port ${port} after ${within / 1000} s.`);
    await wait(200);
  }
}
