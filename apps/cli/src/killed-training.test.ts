import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep, setImmediate as soon } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openLedger } from '@hushrec/ledger';
import { verifyPublished } from '@hushrec/model';
import { readModelFiles, readModelFolder } from '@hushrec/model/folder';
import { openDataset, readManifest, readUserIds } from '@hushrec/ratings';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hushrec, started } from './started-command.test.data.js';

/** `npm run kills` makes at least 20 a door. */
const asked = process.env['HUSHREC_KILLS'];
const kills = asked === undefined ? 4 : Math.max(20, Math.ceil(Number(asked) / 10));
const limit = 7_200_000;

const base = mkdtempSync(join(tmpdir(), 'hushrec-killed-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const library = fileURLToPath(new URL('../dist/index.js', import.meta.url));
beforeAll(() => expect(existsSync(library), 'build first: npm run build').toBe(true));

/** One door to the product: a folder, a ledger, and a data set of its own. */
class Door {
  readonly folder: string;
  readonly data: string;
  readonly ledger: string;

  constructor(name: string) {
    this.folder = join(base, name);
    this.data = this.at('data');
    this.ledger = this.at('state/ledger.sqlite');
    mkdirSync(this.at('models'), { recursive: true });
    mkdirSync(this.at('state'));
  }

  at(path: string): string {
    return join(this.folder, path);
  }

  /** Ratings of a week, all of the same people and one who is new. */
  week(number: number): string {
    const rows = Array.from(
      { length: 600 },
      (_, k) =>
        `${k === 0 ? `new${number}` : `u${k % 60}`},i${(k * 7 + number) % 25},${1 + ((k + number) % 5)},${1_600_000_000 + number * 604_800 + k}`,
    );
    const file = this.at(`state/week-${number}.csv`);
    writeFileSync(file, `user,item,rating,time\n${rows.join('\n')}\n`);
    return file;
  }

  async begin(): Promise<void> {
    await (await openLedger(this.ledger, { create: true })).close();
    await this.done('import', this.week(1), this.data, '--scale', '1:5:1');
  }

  /** A command, or with `-e` a program, in a process group of its own; `args` of node. */
  started(args: readonly string[]) {
    const [first] = args;
    const all = first === '-e' ? ['--input-type=module', ...args] : [hushrec, ...args];
    return started(process.execPath, all, this.folder, { HUSHREC_LEDGER: this.ledger });
  }

  async done(...args: string[]): Promise<void> {
    const { code, errors } = await this.started(args);
    expect(code, errors).toBe(0);
  }

  /**
   * Kills a command as soon as one of the paths is there, or at some moment; null where it was killed before
   * its end.
   */
  async killed(args: readonly string[], moment: Moment): Promise<number | null> {
    const running = this.started(args);
    const isToDie = momentOf(moment, () => running.child.exitCode !== null);
    await Promise.race([isToDie, running]);
    running.child.kill('SIGKILL');
    return (await running).code;
  }

  async entries() {
    const ledger = await openLedger(this.ledger);
    try {
      await ledger.check();
      return await ledger.entries();
    } finally {
      await ledger.close();
    }
  }

  /**
   * What must hold when everything was finished: no secret, no half-written or raw folder, one charge for
   * each model that was asked for, and each noted as ended; and the ledger knows everyone in the data set.
   */
  async expectWhole(models: readonly string[], charges: number): Promise<void> {
    for (const folder of [this.folder, this.at('models'), this.at('models/.held')]) {
      const names = existsSync(folder) ? readdirSync(folder) : [];
      const left = names.filter((name) =>
        /\.(noise-key|unreported|releases|refreshing)$|\.partial-|\.(writing|old)$/.test(name),
      );
      expect(left, folder).toEqual([]);
    }
    const entries = await this.entries();
    const paid = entries.flatMap(({ event, hash }) => (event.kind === 'spend' ? [hash] : []));
    const ended = entries.flatMap(({ event }) => (event.kind === 'completion' ? [event.spend] : []));
    expect(paid).toHaveLength(charges);
    expect(ended.sort()).toEqual([...paid].sort());
    for (const model of models) {
      expect((await verifyPublished(await readModelFiles(model))).ok).toBe(true);
      expect(paid).toContain((await readModelFolder(model)).certificate.ledgerEntry);
    }
    await this.expectKnown(this.data);
  }

  /** No person of a data set is unknown to the account that it spends from. */
  async expectKnown(dataset: string): Promise<void> {
    const { manifest } = await openDataset(dataset);
    const ids = await readUserIds(dataset);
    const ledger = await openLedger(this.ledger);
    try {
      const { accounts } = await ledger.sharedWith(ids);
      expect(accounts.find(({ account }) => account === manifest.account.id)).toMatchObject({ share: 1 });
    } finally {
      await ledger.close();
    }
  }
}

/** When to kill: when a path is there (`*`: any ending), plus some milliseconds. */
type Moment = { readonly path?: string; readonly laterMs: number };

async function momentOf({ path, laterMs }: Moment, isOver: () => boolean): Promise<void> {
  if (path !== undefined) while (!isThere(path) && !isOver()) await soon();
  if (laterMs > 0) await sleep(laterMs);
}

function isThere(path: string): boolean {
  if (!path.endsWith('*')) return existsSync(path);
  const start = basename(path).slice(0, -1);
  return existsSync(dirname(path)) && readdirSync(dirname(path)).some((name) => name.startsWith(start));
}

/** Every event in turn, at once and a little later; and any moment. */
function momentFor(kill: number, paths: readonly string[]): Moment {
  const at = kill % (paths.length + 1);
  return at === paths.length
    ? { laterMs: randomInt(2500) }
    : { path: paths[at], laterMs: kill < paths.length ? 0 : randomInt(30) };
}

/** What appears beside a model and in its place, in this order, from the charge to the end. */
const steps = (model: string) => [
  `${model}.noise-key`,
  join(dirname(model), `.${basename(model)}.writing`),
  join(model, 'certificate.json'),
  `${model}.unreported`,
];

const trainingFlags = ['--method', 'dpals', '--epsilon', '0.2', '--delta', '1e-6', '--set', 'rank=4'];

// @door train: kills
// @door train(): kills
// @door refresh: kills
// @door serve: kills
// @door import: kills
// @door evaluate: kills
describe('killed and started again, nothing is lost, doubled or left', () => {
  it.each<[string, (door: Door, out: string) => string[]]>([
    [
      'train',
      ({ data }, out) => ['train', data, ...trainingFlags, '--threads', '1', '--out', out, '--resume'],
    ],
    [
      'train as a library',
      ({ data }, out) => [
        '-e',
        `import { train } from ${JSON.stringify(library)};
         await train(${JSON.stringify(data)}, { method: 'dpals', epsilon: 0.2, settings: { rank: 4 }, threads: 1,
           out: ${JSON.stringify(out)}, resume: true, ledger: process.env.HUSHREC_LEDGER });`,
      ],
    ],
  ])(
    `%s: ${kills} kills`,
    async (name, command) => {
      const door = new Door(name);
      await door.begin();
      const models: string[] = [];
      for (let kill = 0; kill < kills; kill++) {
        const out = door.at(`models/m${kill}`);
        const args = command(door, out);
        // Some are killed twice before they are left alone.
        for (let times = 1 + (kill % 2); times > 0; times--)
          await door.killed(args, momentFor(kill, steps(out)));
        if (existsSync(out)) expect((await verifyPublished(await readModelFiles(out))).ok).toBe(true);
        // Where nothing was left to finish, the place is taken.
        const wasOver =
          existsSync(out) && !existsSync(`${out}.noise-key`) && !existsSync(`${out}.unreported`);
        const { code, errors } = await door.started(args);
        if (wasOver) expect(errors).toContain('already holds a model');
        else expect(code, errors).toBe(0);
        models.push(out);
        await door.expectWhole([out], models.length);
      }
      await door.expectWhole(models, models.length);
    },
    limit,
  );

  it(
    `import: ${kills} kills`,
    async () => {
      const door = new Door('import');
      await door.begin();
      const { account } = await readManifest(door.data);
      for (let kill = 0; kill < kills; kill++) {
        const [set, hidden] = [door.at(`set-${kill % 3}`), door.at(`.set-${kill % 3}.partial-*`)];
        const args = ['import', door.week(kill + 2), set, '--scale', '1:5:1', '--overwrite'];
        await door.killed(
          [...args, '--account', account.name],
          momentFor(kill, [hidden, `${set}/dataset.json`, hidden]),
        );
        await door.done(...args, '--account', account.name);
        expect((await openDataset(set)).manifest.account).toEqual(account);
        await door.expectKnown(set);
        await door.expectWhole([], 0);
      }
    },
    limit,
  );

  it(
    `refresh: ${kills} kills`,
    async () => {
      const door = new Door('refresh');
      await door.begin();
      const model = door.at('models/shop');
      await door.done('train', door.data, ...trainingFlags, '--out', model);
      for (let kill = 0; kill < kills; kill++) {
        const file = door.week(kill + 2);
        const args = ['refresh', door.data, '--from', file, '--append', '--model', model, '--threads', '1'];
        const moments = [
          door.at('.data.partial-*'),
          ...steps(model).filter((path) => path !== `${model}/certificate.json`),
        ];
        await door.killed(args, momentFor(kill, moments));
        await door.done(...args);
        // Each week costs one run, however often it began.
        await door.expectWhole([model], kill + 2);
      }
    },
    limit,
  );

  it(
    `evaluate --release: ${kills} kills`,
    async () => {
      const door = new Door('evaluate');
      await door.begin();
      const model = door.at('models/shop');
      await door.done('train', door.data, ...trainingFlags, '--out', model);
      const key = `${model}.figure.noise-key`;
      const flags = ['--release', '--epsilon', '0.1', '--people', '9000', '--since', '2020-09-01', '--json'];
      const args = ['evaluate', model, door.data, ...flags, '--threads', '1'];
      for (let kill = 0; kill < kills; kill++) {
        const first = door.started(args);
        const isTold = new Promise((told) => first.child.stdout!.once('data', told));
        const moments = [key, key, `${model}.figure.unreported`];
        const moment = momentFor(kill, moments);
        const isToDie = momentOf(moment, () => first.child.exitCode !== null);
        await Promise.race([kill % 4 === 1 ? isTold : isToDie, first]);
        first.child.kill('SIGKILL');
        const { text } = await first;
        if (kill % 2 === 1) await door.killed([...args, '--resume'], { laterMs: randomInt(1500) });
        const again = await door.started([...args, '--resume']);
        if (again.code === 0) {
          if (text.endsWith('}\n')) expect(again.text).toBe(text);
        } else {
          // It had ended, or had not come to its charge.
          expect(again.errors).toContain('No figure of this model is left unfinished');
          const paid = (await door.entries()).filter(({ event }) => event.kind === 'spend');
          if (paid.length === kill + 1) await door.done(...args);
        }
        await door.expectWhole([model], kill + 2);
      }
    },
    limit,
  );

  it(
    `serve: ${kills} kills`,
    async () => {
      const door = new Door('serve');
      await door.begin();
      const models: string[] = [];
      for (let kill = 0; kill < kills; kill++) {
        const out = door.at(`models/m${kill}`);
        const request = {
          ...{ dataset: 'data', method: 'dpals', epsilon: 0.2, delta: 1e-6, settings: { rank: 4 } },
          model: basename(out),
        };
        const first = await Served.start(door);
        const { hash } = await first.ask('/api/plans', request);
        const { id } = await first.ask('/api/runs', { ...request, plan: hash });
        await momentOf(momentFor(kill, steps(out)), () => first.isOver(out));
        await first.kill();
        const second = await Served.start(door);
        let run = await second.ask(`/api/runs/${id}`);
        if (run.status === 'interrupted') await second.ask(`/api/runs/${id}/resume`, {});
        while (!['done', 'failed'].includes(run.status)) {
          await sleep(50);
          run = await second.ask(`/api/runs/${id}`);
        }
        expect(run, run.error ?? '').toMatchObject({ status: 'done' });
        models.push(out);
        await second.kill();
        await door.expectWhole([out], models.length);
      }
      await door.expectWhole(models, models.length);
    },
    limit,
  );
});

/** A plan or a run, as far as it is looked at. */
interface AnsweredRun {
  readonly hash: string;
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
}

/** A server, and the training it starts, as one group of processes. */
class Served {
  readonly #child: ChildProcess;
  readonly #url: string;
  readonly #token: string;

  private constructor(child: ChildProcess, url: string, token: string) {
    this.#child = child;
    this.#url = url;
    this.#token = token;
  }

  static async start(door: Door): Promise<Served> {
    const args = ['serve', '--models', door.at('models'), '--data', door.folder, '--port', '0'];
    const child = spawn(
      process.execPath,
      [hushrec, ...args, '--state', door.at('state/runs.sqlite'), '--ledger', door.ledger],
      { cwd: door.folder, stdio: ['ignore', 'ignore', 'pipe'], detached: true },
    );
    let words = '';
    const address = await new Promise<RegExpExecArray>((resolve, reject) => {
      child.stderr.on('data', (text) => {
        words += text;
        const found = /open (\S+)\/#token=(\S+)/.exec(words);
        if (found !== null) resolve(found);
      });
      child.once('exit', () => reject(new Error(`It did not start: ${words}`)));
    });
    return new Served(child, address[1], address[2]);
  }

  async ask(path: string, body?: unknown): Promise<AnsweredRun> {
    const response = await fetch(this.#url + path, {
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as AnsweredRun;
    expect(response.ok, JSON.stringify(answer)).toBe(true);
    return answer;
  }

  /** Whether a run has ended as far as files tell. */
  isOver(model: string): boolean {
    return existsSync(model) && !existsSync(`${model}.noise-key`) && !existsSync(`${model}.unreported`);
  }

  /** The server and whatever trains for it, at once. */
  async kill(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    process.kill(-this.#child.pid!, 'SIGKILL');
    await ended;
  }
}
