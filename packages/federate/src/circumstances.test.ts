import { generateSigningKey, type SigningKey } from '@hushrec/model/signing';
import { createEngine, type Engine } from '@hushrec/numerics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Aggregator, type AggregatorOptions } from './aggregator.js';
import { Board } from './board.js';
import type { Charter, SignedCharter } from './charter.js';
import { chargedRuns } from './contributor-record.js';
import { coordinateRun } from './coordinate-run.js';
import { type DurableFolder, MemoryFolder } from './durable-folder.js';
import { dealt } from './equality.test.data.js';
import { aggregatorRoutes } from './http/aggregator-routes.js';
import { attemptsWithin, patient, remoteAggregator, remoteLog } from './http/remote.js';
import { selfSignedCertificate } from './node/self-signed-certificate.js';
import { tlsClient } from './node/tls-client.js';
import { type RunningServer, serve } from './node/tls-server.js';
import { pause } from './pause.js';
import { charteredSchedule } from './schedule.js';
import { reachedAt, sealingOf, smallCharter, smallRatings } from './small-charter.test.data.js';
import { takePart } from './take-part.js';
import type { Meeting, SentShare, TakePartOptions } from './visits.js';

let engine: Engine;
let keys: SigningKey[];
const servers: RunningServer[] = [];
const [one, other] = dealt(smallRatings, 2);
beforeAll(async () => {
  engine = await createEngine({ kernel: 'simd', threads: 1 });
  keys = await Promise.all([0, 1, 2].map(() => generateSigningKey()));
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await engine.close();
});

const draft = (pace: Charter['pace'] | ((exchanges: number) => Charter['pace'])) =>
  smallCharter(keys, { engine }, { pace });

/** A window of so many seconds for each exchange, one after the other. */
const windowsFrom =
  (opens: number, seconds = 1) =>
  (exchanges: number): Charter['pace'] => ({
    kind: 'windows',
    windows: Array.from({ length: exchanges }, (_, at) => ({
      opens: new Date(opens + 1000 * seconds * at).toISOString(),
      closes: new Date(opens + 1000 * seconds * (at + 1)).toISOString(),
    })),
  });

const opened = (
  charter: Charter,
  index: number,
  folder: DurableFolder,
  more: Partial<AggregatorOptions> = {},
) =>
  Aggregator.open(charter, folder, {
    index,
    key: keys[index],
    secret: new Uint8Array(32).fill(index + 1),
    ...more,
  });

const attend = (
  signed: SignedCharter,
  own: typeof smallRatings,
  meeting: Meeting,
  options: Partial<TakePartOptions> = {},
) =>
  takePart(
    signed,
    own,
    { engine },
    { trusted: [keys[0].publicKey], mostEpsilon: 100, kept: 'many-people' },
    meeting,
    { folder: new MemoryFolder(), checked: true, ...options },
  );

/** A disk that is full now and then: every third change fails, wholly. */
function fullNowAndThen(folder: MemoryFolder): DurableFolder & { failures: number } {
  let steps = 0;
  const counted = { failures: 0 };
  const change = <T>(act: () => Promise<T>): Promise<T> => {
    if (++steps % 3 !== 0) return act();
    counted.failures++;
    return Promise.reject(
      Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }),
    );
  };
  return Object.assign(counted, {
    read: (name: string) => folder.read(name),
    readRange: (name: string, offset: number, length: number) => folder.readRange(name, offset, length),
    list: (prefix: string) => folder.list(prefix),
    write: (name: string, bytes: Uint8Array) => change(() => folder.write(name, bytes)),
    create: (name: string, bytes: Uint8Array) => change(() => folder.create(name, bytes)),
    append: (name: string, bytes: Uint8Array) => change(() => folder.append(name, bytes)),
    remove: (name: string) => change(() => folder.remove(name)),
  });
}

const reports = { kind: 'reports', count: 2, longestSeconds: 600 } as const;

describe('a full disk', () => {
  it('at an aggregator: it says so, is asked again, and in the end nothing is lost and nothing is double', async () => {
    const signed = await draft(reports);
    const { charter } = signed;
    const sums: Uint8Array[][] = [];
    const reasons: string[] = [];
    let failures = 0;
    for (const isFull of [false, true]) {
      const board = await Board.open(new MemoryFolder());
      const patience = { attempts: 30, firstPause: 1, longestPause: 5 };
      const line = patient(tlsClient(), 'an aggregator', patience);
      const ports = await Promise.all(
        [0, 1].map(async (index) => {
          const kept = new MemoryFolder();
          // It has opened its folder before the disk is full.
          const disk = fullNowAndThen(kept);
          const aggregator = await opened(charter, index, kept);
          const full = isFull ? await opened(charter, index, disk) : aggregator;
          const sealing = await sealingOf(keys[index]);
          const server = await serve(aggregatorRoutes(charter, full, { index, sealing }), {
            port: 0,
            mostBytes: 2 ** 20,
            failed: (error) => {
              reasons.push((error as Error).message);
              failures = Math.max(failures, disk.failures);
            },
          });
          servers.push(server);
          const url = `http://127.0.0.1:${server.port}`;
          return remoteAggregator(reachedAt(signed, [url, url]), index, line, { key: keys[2] });
        }),
      );
      const running = coordinateRun(charter, ports, board, charteredSchedule(charter), {
        pollMilliseconds: 5,
      });
      const taking = [one, other].map((own, at) =>
        attend(
          signed,
          own,
          { aggregators: ports, log: board },
          { root: new Uint8Array(32).map((_, byte) => byte + at) },
        ),
      );
      await Promise.all([running, ...taking]);
      sums.push(await Promise.all(charter.exchanges.map(async (_, at) => (await board.peek(at))!.sums)));
    }
    expect(failures).toBeGreaterThan(3);
    expect(new Set(reasons)).toEqual(new Set(['ENOSPC: no space left on device, write']));
    expect(sums[1], 'the same sums as on a disk with room').toEqual(sums[0]);
  });

  it('at a participant: it ends before anything is handed in, and can be started again', async () => {
    const signed = await draft(reports);
    let sent = 0;
    const meeting: Meeting = {
      aggregators: [0, 1].map(() => ({
        put: async () => {
          sent++;
          return { status: 201 as const, reason: '' };
        },
      })),
      log: { peek: async () => undefined, entry: async () => ({ over: 'enough.', exchange: 0 }) },
    };
    const kept = new MemoryFolder();
    const full = async () => {
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    };
    const disk: DurableFolder = { ...fullNowAndThen(kept), write: full, create: full };
    await expect(attend(signed, one, meeting, { folder: disk })).rejects.toThrow('no space left on device');
    expect(sent).toBe(0);
    expect(await chargedRuns(kept)).toEqual([]);
    await expect(attend(signed, one, meeting, { folder: kept })).rejects.toThrow('enough.');
    expect(sent).toBe(2);
  });
});

describe('clocks that differ', () => {
  it('a participant who is early for long does not sleep through a short window', async () => {
    // Attempts with ever longer pauses would come after 3.5 and 7.5 seconds.
    const opens = Date.now() + 4000;
    const signed = await draft(windowsFrom(opens, 2));
    const aggregators = await Promise.all(
      [0, 1].map((index) => opened(signed.charter, index, new MemoryFolder())),
    );
    const stop = new AbortController();
    const log = {
      peek: async () => undefined,
      entry: async () => {
        stop.abort(new Error('handed in'));
        throw stop.signal.reason;
      },
    };
    await expect(attend(signed, one, { aggregators, log }, { signal: stop.signal })).rejects.toThrow(
      'handed in',
    );
    expect(await aggregators[0].held(0, 10, 0)).toHaveLength(1);
  });

  it('nothing leaves a participant before the window opens by its own clock; attempts are told', async () => {
    const opens = Date.now() + 1500;
    const signed = await draft(windowsFrom(opens, 2));
    // South's clock is behind: what is sent there is early, and left the device all the same.
    let refusals = 2;
    const times: number[] = [];
    const stop = new AbortController();
    const put = async () => {
      times.push(Date.now());
      return refusals-- > 0
        ? ({ status: 425, reason: 'early' } as const)
        : ({ status: 201, reason: '' } as const);
    };
    const log = {
      peek: async () => undefined,
      entry: async () => {
        stop.abort(new Error('handed in'));
        throw stop.signal.reason;
      },
    };
    const [told, sent]: [string[], SentShare[]] = [[], []];
    const taking = attend(
      signed,
      one,
      { aggregators: [{ put }, { put }], log },
      { signal: stop.signal, waiting: (reason) => told.push(reason), sent: (share) => sent.push(share) },
    );
    await expect(taking).rejects.toThrow('handed in');
    expect(told[0]).toBe(`exchange 1 opens at ${new Date(opens).toISOString()}.`);
    expect(times).toHaveLength(4);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(opens);
    expect(sent.map(({ to, isTaken }) => [to, isTaken])).toEqual([
      ['south', false],
      ['south', false],
      ['south', true],
      ['north', true],
    ]);
  });

  it('a participant who is early waits for the window and says what time it is there', async () => {
    const opens = Date.parse('2027-01-01T00:00:00Z');
    const signed = await draft(windowsFrom(opens));
    let now = opens - 5000;
    const aggregators = await Promise.all(
      [0, 1].map((index) => opened(signed.charter, index, new MemoryFolder(), { clock: () => now })),
    );
    const told: string[] = [];
    const stop = new AbortController();
    const taking = attend(
      signed,
      one,
      {
        aggregators,
        log: {
          peek: async () => undefined,
          entry: async () => {
            stop.abort(new Error('handed in'));
            throw stop.signal.reason;
          },
        },
      },
      {
        // By the clock here it is open.
        clock: () => opens,
        signal: stop.signal,
        waiting: (reason) => {
          told.push(reason);
          now = opens + 1;
        },
      },
    );
    await expect(taking).rejects.toThrow('handed in');
    expect(told).toEqual([
      'south: This exchange opens at 2027-01-01T00:00:00.000Z; it is 2026-12-31T23:59:55.000Z here.',
    ]);
  });

  it('a coordinator who is ahead ends no exchange before the aggregators do, and nobody is left out', async () => {
    const opens = Date.parse('2027-01-01T00:00:00Z');
    const signed = await draft(windowsFrom(opens));
    const { charter } = signed;
    let now = opens + 500;
    const [north, south] = await Promise.all([
      opened(charter, 0, new MemoryFolder(), { clock: () => now }),
      opened(charter, 1, new MemoryFolder(), { clock: () => now - 300 }),
    ]);
    const aggregators = [north, south];
    const board = await Board.open(new MemoryFolder());
    const told: string[] = [];
    const stop = new AbortController();
    const running = coordinateRun(charter, aggregators, board, charteredSchedule(charter), {
      pollMilliseconds: 1,
      signal: stop.signal,
      clock: () => now + 60_000,
      waiting: (reason) => told.push(reason),
    });
    const until = async (isSo: () => boolean | Promise<boolean>) => {
      while (!(await isSo())) await pause(1);
    };
    // Nobody has handed in yet: with fewer reports than the charter demands the run would be over for good.
    await until(() => told.length > 0);
    expect(told[0]).toBe(
      'an aggregator’s clock is behind this one: This exchange closes at 2027-01-01T00:00:01.000Z; it is 2027-01-01T00:00:00.500Z here.',
    );
    let sent = 0;
    const taking = [];
    for (const own of [one, other]) {
      const options = { signal: stop.signal, sent: () => sent++, clock: () => now };
      const took = attend(signed, own, { aggregators, log: board }, options);
      took.catch(() => undefined);
      taking.push(took);
      // Whoever comes when a batch is folded is in the next one.
      await until(async () => sent === 2 * taking.length && (await north.held(0, 10, 0)).length === 0);
    }
    now = opens + 1400;
    const entry = await board.entry(0);
    stop.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    await Promise.allSettled(taking);
    expect(entry, 'two reports, as the charter demands').toHaveProperty('header');
  });
});

it('a run with too few reports is not over while one aggregator’s window is open', async () => {
  const opens = Date.parse('2027-01-01T00:00:00Z');
  const { charter } = await draft(windowsFrom(opens));
  // North is ahead and answers at once that there are too few; south, whose window is open, is slow.
  const [north, south] = await Promise.all([
    opened(charter, 0, new MemoryFolder(), { clock: () => opens + 5000 }),
    opened(charter, 1, new MemoryFolder(), { clock: () => opens + 500 }),
  ]);
  const publish = south.publish.bind(south);
  south.publish = async (...asked) => {
    await pause(20);
    return publish(...asked);
  };
  const board = await Board.open(new MemoryFolder());
  const stop = new AbortController();
  const running = coordinateRun(charter, [north, south], board, charteredSchedule(charter), {
    pollMilliseconds: 1,
    signal: stop.signal,
    clock: () => opens + 5000,
    waiting: () => stop.abort(new Error('it waits')),
  });
  await expect(running).rejects.toThrow('it waits');
  expect(board.end).toBeUndefined();
});

describe('a line that does not hold', () => {
  it('is asked for as long as was said: ten minutes are ten minutes, with pauses of a minute at most', () => {
    const pauses = (attempts: number) =>
      Array.from({ length: attempts - 1 }, (_, at) => Math.min(60_000, 250 * 2 ** at));
    const lasts = (attempts: number) => pauses(attempts).reduce((sum, each) => sum + each, 0);
    for (const milliseconds of [1, 1000, 30_000, 600_000]) {
      const attempts = attemptsWithin(milliseconds);
      expect(lasts(attempts)).toBeGreaterThanOrEqual(milliseconds);
      expect(lasts(attempts - 1)).toBeLessThan(milliseconds);
    }
  });

  it('a board that answers "not yet" at once is asked once a second', async () => {
    let asked = 0;
    const stop = new AbortController();
    const log = remoteLog('http://board.example', 'run', async () => {
      asked++;
      return { status: 204, body: new Uint8Array() };
    });
    const waiting = log.entry(0, stop.signal);
    await pause(1500);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(asked).toBeLessThanOrEqual(3);
    expect(asked).toBeGreaterThan(0);
  });

  it('an expired certificate is told at once, in words that say what to do', async () => {
    const stale = selfSignedCertificate('127.0.0.1', 1, new Date('2020-01-01'));
    const server = await serve(async () => ({ status: 200, body: '' }), {
      port: 0,
      tls: stale,
      mostBytes: 1,
    });
    servers.push(server);
    const line = patient(tlsClient({ believed: [stale.cert] }), 'north', {
      attempts: 50,
      firstPause: 10_000,
    });
    await expect(line(`https://127.0.0.1:${server.port}/`, { method: 'GET' })).rejects.toThrow(
      'north has a certificate that is not accepted (certificate has expired). Nothing was sent to it.',
    );
  });

  it('an aggregator that never answers ends taking part; what was charged stays, and it can go on', async () => {
    const signed = await draft(reports);
    const told: string[] = [];
    const silent = patient(async () => Promise.reject(new Error('connect ECONNREFUSED')), 'south', {
      attempts: 6,
      firstPause: 1,
      waiting: (message) => told.push(message),
    });
    const folder = new MemoryFolder();
    const board = await Board.open(new MemoryFolder());
    const north = await opened(signed.charter, 0, new MemoryFolder());
    const south = remoteAggregator(reachedAt(signed, ['', 'http://south.example']), 1, silent);
    await expect(
      attend(signed, one, { aggregators: [north, south], log: board }, { folder }),
    ).rejects.toThrow(
      'south did not answer (connect ECONNREFUSED). Nothing is lost: start the same command again',
    );
    expect(told).toEqual(['south does not answer (connect ECONNREFUSED); it is asked again.']);
    expect(await chargedRuns(folder)).toHaveLength(1);
    expect(await north.held(0, 10, 0), 'no share without the other').toEqual([]);
  });
});
