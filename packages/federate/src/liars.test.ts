import { generateSigningKey, type SigningKey } from '@hushrec/model/signing';
import { createEngine, type Engine } from '@hushrec/numerics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { partyCredentials } from './admission.js';
import { Aggregator, type AggregatorOptions } from './aggregator.js';
import { MOST_IN_BATCH } from './aggregator-port.js';
import { Board } from './board.js';
import { hashHex } from './bytes.js';
import { type Charter, charterHash, readCharter, type SignedCharter } from './charter.js';
import { chargedRuns } from './contributor-record.js';
import { coordinateRun } from './coordinate-run.js';
import type { CharterRequest } from './draft-charter.js';
import { MemoryFolder } from './durable-folder.js';
import { dealt } from './equality.test.data.js';
import { wordCount } from './exchange-plan.js';
import { checkCharterByDryRun } from './participant.js';
import { type EntryHeader, entryHash, headerOf, type LogReader, readEntry } from './release-log.js';
import { charteredSchedule, replayRun } from './schedule.js';
import { addUpWords } from './sharing/sharing.js';
import { packWords } from './sharing/sharing-words.js';
import { signAs } from './signatures.js';
import { signAsAggregator, smallCharter, smallRatings } from './small-charter.test.data.js';
import { takePart } from './take-part.js';
import type { Meeting } from './visits.js';

let engine: Engine;
let keys: SigningKey[];
let signed: SignedCharter;

const draft = (change: Partial<CharterRequest> = {}) =>
  smallCharter(keys, { engine }, { pace: { kind: 'reports', count: 2, longestSeconds: 1 }, ...change });

beforeAll(async () => {
  engine = await createEngine({ kernel: 'simd', threads: 1 });
  keys = await Promise.all([0, 1, 2, 3].map(() => generateSigningKey()));
  signed = await draft();
});
afterAll(() => engine.close());

const idOf = (name: string) => hashHex(name);

function open(charter: Charter, index: 0 | 1, more: Partial<AggregatorOptions> = {}): Promise<Aggregator> {
  const options = { index, key: keys[index], secret: new Uint8Array(32).fill(index + 1), ...more };
  return Aggregator.open(charter, new MemoryFolder(), options);
}

const words = ({ exchanges, wordBytes }: Charter) => new Uint8Array(wordCount(exchanges[0]) * wordBytes);

describe('an honest aggregator among liars', () => {
  it('takes a report once, of the right length, for its own log', async () => {
    const { charter, hash } = signed;
    const aggregator = await open(charter, 0);
    const body = words(charter);
    const id = await idOf('a');
    const status = async (...given: Parameters<Aggregator['put']>) => (await aggregator.put(...given)).status;
    expect(await status(0, 'not an id', hash, body)).toBe(400);
    expect(await status(0, id, hash, body.subarray(1))).toBe(400);
    expect(await status(0, id, 'another log', body)).toBe(412);
    expect(await status(1, id, hash, body)).toBe(412);
    expect(await status(0, id, hash, body)).toBe(201);
    expect(await status(0, id, hash, body), 'replayed').toBe(200);
    const other = body.slice();
    other[3] = 9;
    expect(await status(0, id, hash, other)).toBe(409);
  });

  it('opens one set of different reports, of at least leastReports, and never another', async () => {
    const { charter, hash } = signed;
    const aggregator = await open(charter, 0);
    const ids = (await Promise.all(['a', 'b', 'c'].map(idOf))).sort();
    for (const id of ids) await aggregator.put(0, id, hash, words(charter));
    const refused = (act: Promise<unknown>, status: number) => expect(act).rejects.toMatchObject({ status });
    await refused(aggregator.fold(0, 0, [ids[0], ids[0]]), 409);
    await refused(aggregator.fold(0, 0, [ids[1], ids[0]]), 409);
    await refused(aggregator.fold(0, 0, [await idOf('nobody')]), 409);
    await refused(aggregator.fold(0, 1, [ids[0]]), 409);
    await refused(aggregator.fold(1, 0, [ids[0]]), 412);
    const one = await aggregator.fold(0, 0, [ids[0]]);
    expect(await aggregator.fold(0, 0, [ids[0]]), 'the same batch again').toEqual(one);
    await refused(aggregator.fold(0, 1, [ids[0]]), 409);
    await refused(aggregator.publish(0, one.set), 403);
    const two = await aggregator.fold(0, 1, [ids[1]]);
    await refused(aggregator.publish(0, one.set), 409);
    const published = await aggregator.publish(0, two.set);
    expect(await aggregator.publish(0, two.set), 'the same bytes again').toEqual(published);
    await refused(aggregator.fold(0, 2, [ids[2]]), 409);
    await refused(aggregator.publish(0, one.set), 409);
    expect((await aggregator.put(0, await idOf('late'), hash, words(charter))).status).toBe(410);
  });

  it('signs one entry an exchange, about what it published', async () => {
    const { charter, hash } = signed;
    const aggregator = await open(charter, 0);
    const ids = (await Promise.all(['a', 'b'].map(idOf))).sort();
    for (const id of ids) await aggregator.put(0, id, hash, words(charter));
    const { set } = await aggregator.fold(0, 0, ids);
    const [some, other] = [await hashHex('x'), await hashHex('y')];
    const header: EntryHeader = {
      format: 'hushrec-log-1',
      charter: hash,
      exchange: 0,
      previous: hash,
      set,
      shares: [some, some],
      sums: some,
    };
    const theirs = crypto.getRandomValues(words(charter));
    let all = [theirs, theirs];
    const refused = (entry: object, status: number, shares = all) =>
      expect(aggregator.attest(entry as EntryHeader, shares)).rejects.toMatchObject({ status });
    await refused(header, 409);
    const own = await aggregator.publish(0, set);
    await refused(header, 409);
    all = [own, theirs];
    const count = wordCount(charter.exchanges[0]);
    const sumOf = (shares: readonly Uint8Array[]) =>
      packWords(addUpWords(shares, count, charter.wordBytes), charter.wordBytes);
    const place = { charter: hash, exchange: 0, previous: hash, set };
    const right = await headerOf(place, all, sumOf(all));
    await refused({ ...right, previous: some }, 409);
    await refused({ ...right, set: some }, 409);
    await refused({ ...right, shares: right.shares.slice(0, 1) }, 409);
    for (const more of [{ reports: 2 }, { sums: '2' }, { set: 2 }]) await refused({ ...right, ...more }, 400);
    // Sums that do not follow from everybody's words, and words that are not those the entry names.
    const half = packWords(new Float64Array(count).fill(1), charter.wordBytes);
    await refused(await headerOf(place, all, half), 409);
    await refused(right, 409, [own, half]);
    await refused(right, 409, [own]);
    await refused({ ...right, sums: other }, 409);
    await aggregator.attest(right, all);
    await refused({ ...right, shares: [right.shares[0], other] }, 409);
    expect((await aggregator.put(0, ids[0], hash, words(charter))).status, 'a repeated exchange').toBe(410);
  });

  it('lets named parties hand in once, and nobody else', async () => {
    const [party, stranger] = [keys[2], keys[3]];
    const asParties = await draft({
      admission: { kind: 'parties', parties: [{ name: 'north', publicKey: party.publicKey }] },
      leastReports: 1,
    });
    const put = async (from: SignedCharter, name: string, proof?: string) => {
      const aggregator = await aggregatorOf(from);
      return (await aggregator.put(0, await idOf(name), from.hash, words(from.charter), proof)).status;
    };
    const opened = new Map<string, Promise<Aggregator>>();
    const aggregatorOf = (from: SignedCharter) => {
      if (!opened.has(from.hash)) opened.set(from.hash, open(from.charter, 0));
      return opened.get(from.hash)!;
    };
    const proof = async (name: string, key: SigningKey, report: string) =>
      partyCredentials(name, key, asParties.hash)(0, await idOf(report), 0, words(asParties.charter));
    const otherBytes = partyCredentials('north', party, asParties.hash);
    expect(await put(asParties, 'a')).toBe(403);
    expect(await put(asParties, 'a', await proof('north', stranger, 'a'))).toBe(403);
    expect(await put(asParties, 'a', await proof('south', party, 'a'))).toBe(403);
    expect(await put(asParties, 'a', await proof('north', party, 'b')), 'for another report').toBe(403);
    const stolen = await otherBytes(0, await idOf('a'), 1, new Uint8Array(32));
    expect(await put(asParties, 'a', stolen), 'seen by another aggregator').toBe(403);
    expect(await put(asParties, 'a', await proof('north', party, 'a'))).toBe(201);
    expect(await put(asParties, 'b', await proof('north', party, 'b')), 'a second report').toBe(403);
  });

  it('keeps its windows by its own clock, and says what time it is', async () => {
    const window = { opens: '2027-01-01T00:00:00.000Z', closes: '2027-01-02T00:00:00.000Z' };
    const windows = signed.charter.exchanges.map(() => window);
    const { charter, hash } = await draft({ pace: { kind: 'windows', windows } });
    let now = Date.parse('2026-12-31T23:59:59Z');
    const aggregator = await open(charter, 0, { clock: () => now });
    const put = async (name: string) => aggregator.put(0, await idOf(name), hash, words(charter));
    expect(await put('a')).toMatchObject({
      status: 425,
      reason: expect.stringContaining('2026-12-31T23:59:59'),
    });
    now += 2000;
    expect((await put('a')).status).toBe(201);
    expect((await put('b')).status).toBe(201);
    const { set } = await aggregator.fold(0, 0, (await Promise.all(['a', 'b'].map(idOf))).sort());
    await expect(aggregator.publish(0, set), 'the window is open').rejects.toMatchObject({ status: 425 });
    now += 86_400_000;
    expect(await put('c')).toMatchObject({ status: 410, reason: expect.stringContaining('closed at') });
    await aggregator.publish(0, set);
  });
});

/** Both aggregators, a board and whoever takes part. */
async function stage(from: SignedCharter) {
  const aggregators = [await open(from.charter, 0), await open(from.charter, 1)];
  const board = await Board.open(new MemoryFolder());
  const coordinate = (ports: typeof aggregators = aggregators) =>
    coordinateRun(from.charter, ports, board, charteredSchedule(from.charter), { pollMilliseconds: 1 });
  return { aggregators, board, coordinate };
}

const policy = () => ({
  trusted: [keys[0].publicKey],
  mostEpsilon: 100,
  kept: 'many-people' as const,
});

const attend = (own: typeof smallRatings, meeting: Meeting, folder = new MemoryFolder(), run = signed) =>
  takePart(run, own, { engine }, policy(), meeting, { folder });

it('an entry of the log has no place for the number of reports', () => {
  const fields: Record<keyof EntryHeader, true> = {
    format: true,
    charter: true,
    exchange: true,
    previous: true,
    set: true,
    shares: true,
    sums: true,
  };
  expect(Object.keys(fields).some((name) => /count|reports|size|number/.test(name))).toBe(false);
});

describe('a lying coordinator', () => {
  it('cannot change a charter, or have another plan followed', async () => {
    const { charter } = signed;
    const trusted = [keys[0].publicKey];
    const cheaper = { ...charter, plan: { ...charter.plan, epsilon: 1 } };
    await expect(readCharter({ ...signed, charter: cheaper }, trusted)).rejects.toThrow('changed after');
    await expect(readCharter({ ...signed, signatures: signed.signatures.slice(1) }, trusted)).rejects.toThrow(
      'has not signed',
    );
    const forged = signed.signatures.map((each) => ({ ...each, value: signed.signatures[0].value }));
    await expect(readCharter({ ...signed, signatures: forged }, trusted)).rejects.toThrow('is not south’s');
    await expect(readCharter(signed, [keys[3].publicKey]), 'nobody trusted').rejects.toThrow('you trust 0');
    const resign = async (changed: Charter) => {
      let again: SignedCharter = { charter: changed, hash: await charterHash(changed), signatures: [] };
      for (const key of keys.slice(0, 2)) again = await signAsAggregator(again, key);
      return again.charter;
    };
    const lessNoise = charter.plan.releases.map((line) => ({ ...line, noise: line.noise / 2 }));
    const moreRounds = { ...charter, settings: { ...charter.settings, rounds: 7 } };
    for (const lie of [
      { ...charter, plan: { ...charter.plan, releases: lessNoise } },
      { ...charter, exchanges: [...charter.exchanges, charter.exchanges[0]] },
      moreRounds,
    ])
      await expect(checkCharterByDryRun(await resign(lie), { engine })).rejects.toThrow(
        'The charter is refused',
      );
    await checkCharterByDryRun(charter, { engine });
  });

  it('cannot show an entry that was not signed by all, follows another, or holds other sums', async () => {
    const { board, coordinate, aggregators } = await stage(signed);
    const taking = dealt(smallRatings, 2).map((own) => attend(own, { aggregators, log: board }));
    await Promise.all([coordinate(), ...taking]);
    const { charter, hash } = signed;
    const first = (await board.peek(0))!;
    const planned = { lines: charter.exchanges[0], plan: charter.plan };
    const read = (entry: typeof first, previous = hash) =>
      readEntry(charter, hash, 0, previous, entry, planned);
    await read(first);
    const sums = first.sums.slice();
    sums[0] ^= 1;
    await expect(read({ ...first, sums })).rejects.toThrow('not those that were signed');
    await expect(read(first, '00')).rejects.toThrow('does not follow');
    await expect(read({ ...first, signatures: first.signatures.slice(1) })).rejects.toThrow('did not sign');
    const forged = { ...first.header, sums: await hashHex(sums) };
    const own = await signAs('entry', await entryHash(forged), keys[2]);
    await expect(read({ header: forged, signatures: [own, own], sums })).rejects.toThrow('did not sign');
    const shifted: LogReader = {
      peek: (exchange) => board.peek(exchange === 0 ? 1 : exchange),
      entry: (exchange) => board.entry(exchange === 0 ? 1 : exchange),
    };
    await expect(replayRun(charter, shifted, { engine })).rejects.toThrow('another exchange');
  });
});

describe('a lying contributor', () => {
  it.each(['a large number', 'random words'])(
    'ends the run with the reason when a sum is beyond what honest people can have: %s',
    async (kind) => {
      const { board, coordinate, aggregators } = await stage(signed);
      const { charter, hash } = signed;
      const count = wordCount(charter.exchanges[0]);
      const most = 2 ** (8 * charter.wordBytes - 2);
      const huge =
        kind === 'random words'
          ? crypto.getRandomValues(words(charter))
          : packWords(new Float64Array(count).fill(most), charter.wordBytes);
      const id = await idOf('liar');
      await aggregators[1].put(0, id, hash, new Uint8Array(32));
      await aggregators[0].put(0, id, hash, huge);
      const honest = attend(dealt(smallRatings, 2)[0], { aggregators, log: board });
      await expect(coordinate()).rejects.toThrow('more than anyone may');
      await expect(honest).rejects.toThrow('The run ended at exchange 1');
      expect(board.end?.over).not.toMatch(/\d+ reports/);
      const again = await stage(signed);
      await expect(again.coordinate(), 'nobody came').rejects.toThrow('fewer reports');
    },
  );

  it('whose reports reached one aggregator only is left out, and a whole batch of them keeps nobody out', async () => {
    const run = await draft({ pace: { kind: 'reports', count: 2, longestSeconds: 600 } });
    const { board, coordinate, aggregators } = await stage(run);
    for (let report = 0; report < MOST_IN_BATCH; report++)
      await aggregators[0].put(0, await idOf(`half ${report}`), run.hash, words(run.charter));
    const meeting = { aggregators, log: board };
    const taking = dealt(smallRatings, 2).map((own) => attend(own, meeting, new MemoryFolder(), run));
    await Promise.all([coordinate(), ...taking]);
    expect(board.length).toBe(run.charter.exchanges.length);
  });
});

describe('a participant', () => {
  it('hands in zeros to the end when its own arithmetic fails, and tells its owner alone', async () => {
    const { board, coordinate, aggregators } = await stage(signed);
    const [one, other] = dealt(smallRatings, 2);
    // Items that are not there make its own arithmetic fail, as a singular system would.
    const indices = other.byUser.indices.map(() => 99);
    const broken = { ...other, byUser: { ...other.byUser, indices } };
    const taking = [one, broken].map((own) => attend(own, { aggregators, log: board }));
    const [, fine, failed] = await Promise.all([coordinate(), ...taking]);
    expect(fine.zerosBecause).toBeUndefined();
    expect(failed.zerosBecause).toBeDefined();
    expect(failed.handedIn).toBe(signed.charter.exchanges.length);
    expect(failed.result.model).toEqual(fine.result.model);
  });

  it('is charged once, before anything is handed in, and refuses what is beyond its budget', async () => {
    const folder = new MemoryFolder();
    const { board, coordinate, aggregators } = await stage(signed);
    const [one, other] = dealt(smallRatings, 2);
    let chargedFirst = false;
    const watching = aggregators.map((aggregator) => ({
      put: async (...given: Parameters<Aggregator['put']>) => {
        chargedFirst ||= (await chargedRuns(folder)).length === 1;
        return aggregator.put(...given);
      },
    }));
    const first = attend(one, { aggregators: watching, log: board }, folder);
    const second = attend(other, { aggregators, log: board });
    await Promise.all([coordinate(), first, second]);
    expect(chargedFirst).toBe(true);
    // The same run again is paid for; it only reads the log now.
    const again = await attend(one, { aggregators, log: board }, folder);
    expect(again).toMatchObject({ handedIn: signed.charter.exchanges.length, missed: 0, bytesSent: 0 });
    expect(await chargedRuns(folder)).toHaveLength(1);
    const next = await draft();
    let sent = 0;
    const counting = [{ put: async () => ({ status: 201 as const, reason: String(sent++) }) }];
    await expect(attend(one, { aggregators: counting, log: board }, folder, next)).rejects.toThrow(
      'has been spent',
    );
    expect(sent).toBe(0);
    await expect(
      attend(other, { aggregators, log: board }, folder),
      'other ratings under the same run',
    ).rejects.toThrow('begun with other ratings');
  });
});
