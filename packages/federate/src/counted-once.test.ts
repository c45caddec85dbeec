import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateSigningKey, type SigningKey } from '@hushrec/model/signing';
import { createEngine, type Engine } from '@hushrec/numerics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Aggregator } from './aggregator.js';
import { Board } from './board.js';
import { hashHex } from './bytes.js';
import type { SignedCharter } from './charter.js';
import { chargedRuns, chargeRun, openRecord } from './contributor-record.js';
import type { CharterRequest } from './draft-charter.js';
import { type DurableFolder, MemoryFolder } from './durable-folder.js';
import { wordCount } from './exchange-plan.js';
import { FileFolder } from './node/file-folder.js';
import { ReportBook } from './report-book.js';
import { smallCharter } from './small-charter.test.data.js';
import { charterWithTokens } from './tokens.test.data.js';

let engine: Engine;
let keys: SigningKey[];
let place: string;
beforeAll(async () => {
  engine = await createEngine({ kernel: 'simd', threads: 1 });
  keys = await Promise.all([0, 1, 2, 3].map(() => generateSigningKey()));
  place = await mkdtemp(join(tmpdir(), 'hushrec-once-'));
});
afterAll(async () => {
  await engine.close();
  await rm(place, { recursive: true, force: true });
});

const draft = (change: Partial<CharterRequest> = {}) =>
  smallCharter(keys, { engine }, { leastReports: 1, ...change });
const opened = ({ charter, tokens }: SignedCharter, folder: DurableFolder) =>
  Aggregator.open(charter, folder, {
    index: 0,
    key: keys[0],
    secret: new Uint8Array(32).fill(1),
    ...(tokens && { tokenKeys: tokens.tokenKeys }),
  });
const bodyOf = ({ charter }: SignedCharter) =>
  new Uint8Array(wordCount(charter.exchanges[0]) * charter.wordBytes);
const idsOf = async (...names: string[]) => (await Promise.all(names.map((name) => hashHex(name)))).sort();

/** A folder in memory whose next change of a file with this name fails. */
function failing(folder: MemoryFolder): DurableFolder & { next: string } {
  const refuse = (name: string) => {
    if (own.next === '' || !name.includes(own.next)) return;
    own.next = '';
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  };
  const own = {
    next: '',
    read: (name: string) => folder.read(name),
    readRange: (...given: Parameters<MemoryFolder['readRange']>) => folder.readRange(...given),
    list: (prefix: string) => folder.list(prefix),
    remove: (name: string) => folder.remove(name),
    write: async (name: string, bytes: Uint8Array) => {
      refuse(name);
      return folder.write(name, bytes);
    },
    create: async (name: string, bytes: Uint8Array) => {
      refuse(name);
      return folder.create(name, bytes);
    },
    append: async (name: string, bytes: Uint8Array) => {
      refuse(name);
      return folder.append(name, bytes);
    },
  };
  return own;
}

describe('a report is in the sum once', () => {
  it('a token that was used stays used, however often the aggregator is started again', async () => {
    const { signed, newTokens } = await charterWithTokens(keys, { engine }, { leastReports: 1 });
    const credentials = await newTokens();
    const [first, second] = await idsOf('first', 'second');
    const folder = new MemoryFolder();
    const put = async (id: string) => {
      const proof = await credentials(0, id, 0, bodyOf(signed));
      return (await (await opened(signed, folder)).put(0, id, signed.hash, bodyOf(signed), proof)).status;
    };
    expect(await put(first)).toBe(201);
    await (await opened(signed, folder)).fold(0, 0, [first]);
    // With every start the records of folded reports may go; who handed them in must not.
    for (let start = 0; start < 3; start++) {
      expect(await put(second), `start ${start}`).toBe(403);
      expect(await put(first), 'the same report again').toBe(200);
    }
    await expect((await opened(signed, folder)).fold(0, 1, [first])).rejects.toMatchObject({ status: 409 });
  });

  it('handed in again while it is folded it is not held a second time', async () => {
    const signed = await draft();
    const aggregator = await opened(signed, new MemoryFolder());
    const ids = await idsOf(...Array.from({ length: 40 }, (_, at) => `report ${at}`));
    const put = (id: string) => aggregator.put(0, id, signed.hash, bodyOf(signed));
    for (const id of ids) await put(id);
    const folding = aggregator.fold(0, 0, ids);
    const again: Promise<{ status: number }>[] = [];
    let isFolded = false;
    void folding.then(() => (isFolded = true));
    // At every turn of the loop somebody's line breaks and the report is sent once more.
    for (let turn = 0; !isFolded || turn < 400; turn++) {
      again.push(put(ids[turn % ids.length]));
      await new Promise((resolve) => (turn % 2 ? setImmediate(resolve) : queueMicrotask(() => resolve(0))));
    }
    await folding;
    for (const { status } of await Promise.all(again)) expect(status).toBe(200);
    expect(await aggregator.held(0, 1000, 0), 'nothing that would be counted twice').toEqual([]);
  });

  it('a batch whose sum could not be written is as if it had not been folded', async () => {
    const signed = await draft();
    const kept = new MemoryFolder();
    const disk = failing(kept);
    const [a, b, c] = await idsOf('a', 'b', 'c');
    const aggregator = await opened(signed, disk);
    for (const id of [a, b]) await aggregator.put(0, id, signed.hash, bodyOf(signed));
    disk.next = '/fold';
    await expect(aggregator.fold(0, 0, [a, b])).rejects.toThrow('ENOSPC');
    await aggregator.put(0, c, signed.hash, bodyOf(signed));
    const { set } = await aggregator.fold(0, 0, [a, b, c]);
    const again = await opened(signed, kept);
    expect(await again.state(0)).toEqual({ batches: 1, last: [a, b, c], set, closed: false });
    for (const id of [a, b, c])
      expect((await again.put(0, id, signed.hash, bodyOf(signed))).status).toBe(200);
    expect(await again.held(0, 10, 0)).toEqual([]);
  });

  it('an exchange that could not be opened for want of room is opened when somebody asks again', async () => {
    const signed = await draft();
    const kept = new MemoryFolder();
    const [a] = await idsOf('a');
    await (await opened(signed, kept)).put(0, a, signed.hash, bodyOf(signed));
    const disk = failing(kept);
    const read = disk.read.bind(disk);
    let isBroken = true;
    disk.read = (name) =>
      isBroken && name.includes('reports-') ? Promise.reject(new Error('EIO')) : read(name);
    const aggregator = await opened(signed, disk);
    await expect(aggregator.held(0, 10, 0)).rejects.toThrow('EIO');
    isBroken = false;
    expect(await aggregator.held(0, 10, 0)).toEqual([a]);
  });

  it('two processes on one folder promise one set', async () => {
    const signed = await draft();
    const folder = new FileFolder(join(place, 'twice'));
    const [a, b] = await idsOf('a', 'b');
    const both = [await opened(signed, folder), await opened(signed, folder)];
    const ids = [a, b];
    for (const [at, each] of both.entries()) await each.put(0, ids[at], signed.hash, bodyOf(signed));
    const sets: string[] = [];
    for (const [at, each] of both.entries()) sets.push((await each.fold(0, 0, [ids[at]])).set);
    const published = await Promise.allSettled(both.map((each, at) => each.publish(0, sets[at])));
    expect(published.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = published.find((each) => each.status === 'rejected');
    expect((refused as PromiseRejectedResult).reason).toMatchObject({ status: 409 });
  });
});

describe('reports on the disk', () => {
  it('a segment stays while a report is being written to it', async () => {
    const kept = new MemoryFolder();
    let release = () => {};
    const slow = new Promise<void>((resolve) => (release = resolve));
    const folder: DurableFolder = Object.assign(Object.create(kept), {
      append: async (name: string, bytes: Uint8Array) => {
        if (bytes.at(-1) === 2) await slow;
        return kept.append(name, bytes);
      },
    });
    const book = await ReportBook.open(folder, { perSegment: 2, most: 10, folded: [] });
    const [a, b, c] = await idsOf('a', 'b', 'c');
    await book.put(a, '', Uint8Array.of(1));
    const late = book.put(b, '', Uint8Array.of(2));
    await book.put(c, '', Uint8Array.of(3));
    await book.fold([a]);
    release();
    expect(await late).toBe('new');
    expect(await book.read(b)).toEqual(Uint8Array.of(2));
    await book.fold([b, c]);
    expect(await kept.list('reports-'), 'only the last one is left').toEqual(['reports-00000001']);
  });

  it('there is room for so many, and for those who are in there always is', async () => {
    const book = await ReportBook.open(new MemoryFolder(), { perSegment: 2, most: 3, folded: [] });
    const ids = await idsOf('a', 'b', 'c', 'd');
    const put = (id: string) => book.put(id, '', Uint8Array.of(1));
    const answers = await Promise.all(ids.map(put));
    expect(answers.sort()).toEqual(['full', 'new', 'new', 'new']);
    const [held] = book.ids(1, 0);
    expect(await put(held)).toBe('same');
    await book.fold([held]);
    expect(await put(held)).toBe('folded');
    expect(await put(await hashHex('e'))).toBe('full');
    expect(book.ids(10, 0)).toHaveLength(2);
    expect(book.ids(10, 1)).toEqual(book.ids(10, 0).slice(1));
    expect(book.ids(-1, 0)).toEqual([]);
  });
});

describe.each(['memory', 'files'])('two that begin at the same time on one folder (%s)', (kind) => {
  let folders: [DurableFolder, DurableFolder];
  let count = 0;
  const charge = (charter: string) => ({ charter, epsilon: 1, delta: 1e-6, at: '2026-01-01T00:00:00.000Z' });
  const make = () => {
    const path = join(place, `begun ${kind} ${count++}`);
    const memory = new MemoryFolder();
    folders = kind === 'memory' ? [memory, memory] : [new FileFolder(path), new FileFolder(path)];
  };

  it('have one root, so that they are one', async () => {
    make();
    const [one, other] = await Promise.all(folders.map((folder) => openRecord(folder, 'c', 'ratings')));
    expect(other.root).toEqual(one.root);
  });

  it('are both charged, and never beyond what is allowed', async () => {
    for (let round = 0; round < 10; round++) {
      make();
      const names = ['a', 'b', 'c', 'd', 'b'];
      const tried = await Promise.allSettled(
        names.map((name, at) => chargeRun(folders[at % 2], charge(name), 3)),
      );
      const charged = (await chargedRuns(folders[0])).map(({ charter }) => charter);
      expect(new Set(charged).size).toBe(3);
      expect(charged).toHaveLength(3);
      for (const [at, { status }] of tried.entries())
        expect(status).toBe(charged.includes(names[at]) ? 'fulfilled' : 'rejected');
    }
  });

  it('a charge that is gone is noticed', async () => {
    make();
    for (const name of ['a', 'b']) await chargeRun(folders[0], charge(name), 3);
    await folders[0].remove('charged-000000.json');
    await expect(chargedRuns(folders[0])).rejects.toThrow('charged-000000.json in the folder of this run');
  });
});

it('a file that is made once leaves nothing else behind', async () => {
  const folder = new FileFolder(join(place, 'made'));
  expect(await folder.create('x/one', Uint8Array.of(1))).toBe(true);
  expect(await folder.create('x/one', Uint8Array.of(2))).toBe(false);
  expect(await folder.read('x/one')).toEqual(Uint8Array.of(1));
  expect(await readdir(join(place, 'made', 'x'))).toEqual(['one']);
});

it('who asked the board and went away is forgotten', async () => {
  const board = await Board.open(new MemoryFolder());
  for (let visit = 0; visit < 100; visit++) {
    const stop = new AbortController();
    const asked = board.entry(0, stop.signal);
    await new Promise((resolve) => setImmediate(resolve));
    expect(board.waiting).toBe(1);
    stop.abort(new Error('gone'));
    await expect(asked).rejects.toThrow('gone');
  }
  expect(board.waiting).toBe(0);
});
