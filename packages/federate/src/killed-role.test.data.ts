// One role of a federated run in a process of its own, which kills itself with SIGKILL at a step:
//   node killed-role.test.data.js <run.json> aggregator|coordinator|party <index> [<step> before|after|half-way]
// Without a step it lives. What it must not forget lies in files; `kills.test.ts` starts it again.
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importSigningKey } from '@hushrec/model/signing';
import { createEngine } from '@hushrec/numerics';
import { Aggregator } from './aggregator.js';
import type { AggregatorPort } from './aggregator-port.js';
import { Board } from './board.js';
import { hashHex } from './bytes.js';
import type { SignedCharter } from './charter.js';
import { chargedRuns } from './contributor-record.js';
import { coordinateRun } from './coordinate-run.js';
import type { DurableFolder } from './durable-folder.js';
import { checkerboard, dealt } from './equality.test.data.js';
import { aggregatorRoutes } from './http/aggregator-routes.js';
import { boardRoutes } from './http/board-routes.js';
import { patient, remoteAggregator, remoteLog } from './http/remote.js';
import { FileFolder } from './node/file-folder.js';
import { tlsClient } from './node/tls-client.js';
import { serve } from './node/tls-server.js';
import { charteredSchedule } from './schedule.js';
import { instead, reachedAt, sealingOf } from './small-charter.test.data.js';
import { takePart } from './take-part.js';

/** What all roles of a run know; keys and ports of this test. */
export interface KillRun {
  readonly folder: string;
  readonly signed: SignedCharter;
  /** Of the aggregators, then of the coordinator (PEM). */
  readonly keys: readonly string[];
  readonly ports: readonly number[];
  readonly people: number;
  readonly items: number;
  readonly perUser: number;
  readonly parties: number;
}

const [file, role, place, step, how] = process.argv.slice(2);
const { folder, signed, keys, ports, people, items, perUser, parties } = JSON.parse(
  readFileSync(file, 'utf8'),
) as KillRun;
const { charter } = signed;
const index = Number(place);
const own = join(folder, `${role}-${index}`);
const urls = ports.map((port) => `http://127.0.0.1:${port}`);
const reached = reachedAt(signed, urls);
const line = patient(tlsClient(), 'a role', { attempts: 2000, firstPause: 20, longestPause: 100 });

let steps = 0;
const last = step === undefined ? -1 : Number(step);

function die(name: string): Promise<never> {
  appendFileSync(join(folder, 'kills.txt'), `${role} ${how} ${name.replace(/[0-9a-f]{64}/g, 'N')}\n`);
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
}

/**
 * Something that others may learn of, or that survives: the process dies before it, after it, or half-way
 * through it.
 */
async function act<T>(name: string, whole: () => Promise<T>, half?: () => Promise<unknown>): Promise<T> {
  const mine = steps++ === last;
  if (mine && how === 'before') return die(name);
  if (mine && how === 'half-way' && half) {
    await half();
    return die(name);
  }
  const result = await whole();
  return mine ? die(name) : result;
}

/** A folder whose every change is such a step. */
function fatal(kept: FileFolder): DurableFolder {
  return {
    read: (name) => kept.read(name),
    readRange: (...given) => kept.readRange(...given),
    list: (prefix) => kept.list(prefix),
    write: (name, bytes) => act(name, () => kept.write(name, bytes)),
    create: (name, bytes) => act(name, () => kept.create(name, bytes)),
    append: (name, bytes) =>
      act(
        name,
        () => kept.append(name, bytes),
        () => kept.append(name, bytes.subarray(0, Math.floor(bytes.length / 2))),
      ),
    remove: (name) => act(name, () => kept.remove(name)),
  };
}

const roles: Readonly<Record<string, () => Promise<void>>> = {
  async aggregator() {
    const aggregator = await Aggregator.open(charter, fatal(new FileFolder(own)), {
      index,
      key: await importSigningKey(keys[index]),
      secret: new Uint8Array(32).fill(index + 1),
    });
    const watched = instead(aggregator, {
      publish: async (exchange, set) => {
        const words = await aggregator.publish(exchange, set);
        appendFileSync(join(folder, 'published.txt'), `${index} ${exchange} ${await hashHex(words)}\n`);
        return words;
      },
    });
    const sealing = await sealingOf(charter.aggregators[index]);
    await serve(aggregatorRoutes(charter, watched, { index, sealing }), {
      port: ports[index],
      mostBytes: 2 ** 20,
    });
  },
  async coordinator() {
    const board = await Board.open(fatal(new FileFolder(own)));
    await serve(boardRoutes(signed, [], board), { port: ports.at(-1)!, mostBytes: 2 ** 16 });
    const key = await importSigningKey(keys.at(-1)!);
    const aggregators = charter.aggregators.map((_, at) => remoteAggregator(reached, at, line, { key }));
    await coordinateRun(charter, aggregators, board, charteredSchedule(charter), { pollMilliseconds: 5 });
  },
  async party() {
    const engine = await createEngine({ kernel: 'simd', threads: 1 });
    const kept = new FileFolder(own);
    const { result } = await takePart(
      signed,
      dealt(checkerboard(people, items, perUser), parties)[index],
      { engine },
      {
        trusted: charter.aggregators.map(({ publicKey }) => publicKey),
        mostEpsilon: charter.plan.epsilon,
        kept: 'many-people',
      },
      {
        aggregators: charter.aggregators.map((_, at) => {
          const port = remoteAggregator(reached, at, line);
          return {
            put: async (...given: Parameters<AggregatorPort['put']>) => {
              if ((await chargedRuns(kept)).length !== 1) throw new Error('handed in before it was charged');
              return act(`report to aggregator ${at}`, () => port.put(...given));
            },
          };
        }),
        log: remoteLog(urls.at(-1)!, charter.run, line),
      },
      { folder: fatal(kept), checked: true, root: new Uint8Array(32).map((_, byte) => byte + index) },
    );
    const { itemFactors } = result.model as { itemFactors: Float32Array };
    await kept.write('model', new Uint8Array(itemFactors.buffer.slice(0)));
    process.exit(0);
  },
};
await roles[role]();
