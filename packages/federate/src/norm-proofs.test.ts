import { generateSigningKey, type SigningKey } from '@hushrec/model/signing';
import { createEngine, type Engine } from '@hushrec/numerics';
import type { PrivacyRecord } from '@hushrec/privacy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Aggregator } from './aggregator.js';
import type { AggregatorPort } from './aggregator-port.js';
import { Board } from './board.js';
import { hashHex, toHex } from './bytes.js';
import { bytesOf, faultInCharter, type SignedCharter } from './charter.js';
import { charterWords } from './charter-words.js';
import { coordinateRun } from './coordinate-run.js';
import type { CharterRequest } from './draft-charter.js';
import { MemoryFolder } from './durable-folder.js';
import { checkerboard, dealt } from './equality.test.data.js';
import type { ExchangePlan } from './exchange-plan.js';
import { entryHash, type ReleasedEntry } from './release-log.js';
import { charteredSchedule, replayRun, scheduleOf } from './schedule.js';
import { newSealingKey, verifyKey } from './sealed-share.js';
import { LineProofs, PROOF_DISTANCE } from './sharing/line-proofs.js';
import { fineGrid, type LineShape, lineOf } from './sharing/sharing-line.js';
import { unpackWords } from './sharing/sharing-words.js';
import { simulateRun } from './simulate-run.js';
import { instead, openAggregators, smallCharter } from './small-charter.test.data.js';
import { takePart } from './take-part.js';

let engine: Engine;
let keys: SigningKey[];
beforeAll(async () => {
  engine = await createEngine({ kernel: 'simd', threads: 1 });
  keys = await Promise.all([0, 1, 2, 3].map(() => generateSigningKey()));
});
afterAll(() => engine.close());

const items = 24;
const draft = (people: number, change: Partial<CharterRequest> = {}) =>
  smallCharter(
    keys,
    { engine },
    {
      normProofs: true,
      epsilon: 20,
      mostPeople: 1000,
      leastReports: 1,
      catalogue: { itemCount: items, scale: { min: 1, max: 5, step: 1 }, hash: '' },
      pace: { kind: 'reports', count: people, longestSeconds: 600 },
      ...change,
    },
  );

const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));

describe('a run of honest devices', () => {
  const ratings = checkerboard(30, 6, 4);
  it.each([
    ['hush', {}],
    ['dpals', { rounds: 1, rank: 2 }],
    ['dp-cmf', { rank: 2 }],
    ['am-ssp', { rank: 2 }],
  ])('%s: sums and model are those without proofs, byte for byte', async (method, settings) => {
    const run = async (normProofs: boolean) => {
      const { signed, board, replayed, participants } = await simulateRun(
        {
          method,
          settings,
          epsilon: 20,
          delta: 1e-5,
          shares: dealt(ratings, 30),
          aggregatorCount: 2,
          kept: 'one-person',
          noise: { by: 'aggregators', honestNeeded: 1 },
          codeVersion: 'test',
          acceptWeak: true,
          seed: 7,
          publicSeed: 3,
          normProofs,
        },
        { engine },
      );
      const sums: Float64Array[] = [];
      for (let exchange = 0; exchange < board.length; exchange++)
        sums.push(unpackWords((await board.peek(exchange))!.sums, signed.charter.wordBytes));
      const sent = Math.max(...participants.map(({ bytesSent }) => bytesSent));
      return { charter: signed.charter, sums, replayed, sent };
    };
    const [proved, plain] = [await run(true), await run(false)];
    expect(proved.charter.wordBytes).toBe(8);
    expect(proved.sums).toEqual(plain.sums);
    expect(proved.replayed.model).toEqual(plain.replayed.model);
    const lines = proved.replayed.record.releases.reduce((all, { count }) => all + count, 0);
    const extra = distance(proved.replayed.record) - distance(plain.replayed.record);
    expect(extra, 'what proofs may tell is charged to δ').toBeGreaterThan(0.99 * lines * PROOF_DISTANCE);
    expect(proved.sent).toBeGreaterThan(plain.sent);
    expect(proved.sent).toBeLessThanOrEqual(bytesOf(proved.charter).sent);
  });
});

/** Of the samplers, and of proofs. */
const distance = ({ event }: PrivacyRecord): number =>
  event.kind === 'composed'
    ? event.events.reduce(
        (sum, each) => sum + (each.kind === 'sampler-distance' ? each.totalVariation : 0),
        0,
      )
    : 0;

/** What one liar hands in at an exchange, of lines as long as may be: a body for each aggregator, if any. */
type Lie = (
  lines: Parameters<typeof LineProofs.prototype.split>[0],
  proofs: LineProofs,
  id: string,
  longer: LineProofs,
) => Promise<readonly (Uint8Array | undefined)[]>;

const split = (lines: readonly Float64Array[], proofs: LineProofs, id: string) =>
  proofs.split(lines, id, random(32));
const changed =
  (which: number, at: number): Lie =>
  async (lines, proofs, id) => {
    const bodies = await split(lines, proofs, id);
    bodies[which][at < 0 ? bodies[which].length + at : at] ^= 1;
    return bodies;
  };
const lies: readonly (readonly [string, Lie])[] = [
  ['changes a number after its proof', changed(0, 140)],
  ['changes what is said of the other share', changed(0, 35)],
  ['changes a seed', changed(1, 130)],
  ['hands in random bytes', async (_, { reportBytes }) => reportBytes.map((bytes) => random(bytes))],
  [
    'hands in numbers above the modulus',
    async (_, { reportBytes }) => reportBytes.map((bytes) => new Uint8Array(bytes).fill(255)),
  ],
  ['hands in another report’s proof', (lines, proofs) => split(lines, proofs, 'ab'.repeat(32))],
  [
    'is longer than anybody may be',
    (lines, _, id, longer) =>
      split(
        lines.map((values) => values.map((value) => Math.floor(1.01 * value))),
        longer,
        id,
      ),
  ],
  ['hands in one half', async (lines, proofs, id) => [(await split(lines, proofs, id))[0], undefined]],
];

/** As if the plan allowed more. */
const longerThan = ({ plan, lines }: ExchangePlan, factor: number) =>
  new LineProofs({
    lines,
    plan: {
      ...plan,
      releases: plan.releases.map((line) => ({ ...line, sensitivity: factor * line.sensitivity })),
    },
  });

/** Hands in lies at every exchange, as soon as it is open. */
async function lie(
  { charter, hash }: SignedCharter,
  aggregators: readonly AggregatorPort[],
  board: Board,
  name: string,
  make: Lie,
) {
  let head = hash;
  const schedule = scheduleOf(charter, board, { engine });
  for (let exchange = 0; ; exchange++) {
    const planned = await schedule.at(exchange);
    if (planned === undefined) return;
    const id = await hashHex(`${name} ${exchange}`);
    const most = planned.lines.map((shape) => {
      const values = new Float64Array(shape.length);
      values[0] = Math.floor(longest(planned, shape));
      return values;
    });
    const bodies = await make(most, new LineProofs(planned), id, longerThan(planned, 1.02));
    for (const at of [1, 0]) {
      const body = bodies[at];
      if (body === undefined) continue;
      expect((await aggregators[at].put(exchange, id, head, body)).status).toBe(201);
    }
    const entry = await board.entry(exchange);
    if ('over' in entry) return;
    head = await entryHash(entry.header);
  }
}

/** A run of honest devices and liars; without noise, so that the sums show whether any lie is in them. */
async function runWith(
  signed: SignedCharter,
  honest: number,
  all: readonly Lie[],
  wrap: (ports: readonly Aggregator[]) => readonly AggregatorPort[] = (ports) => ports,
  again = false,
) {
  const { charter } = signed;
  const board = await Board.open(new MemoryFolder());
  const schedule = () => scheduleOf(charter, board, { engine });
  const aggregators = await openAggregators(charter, keys, () => ({
    noise: () => undefined,
    schedule: schedule(),
  }));
  const taking = dealt(checkerboard(honest, items, 8), honest).map((own) =>
    takePart(
      ...([signed, own, { engine }] as const),
      { trusted: [keys[0].publicKey], mostEpsilon: 100, mostDelta: 1, kept: 'one-person' },
      { aggregators, log: board },
      { folder: new MemoryFolder(), checked: true },
    ),
  );
  for (const each of taking) each.catch(() => undefined);
  const lying = all.map((make, at) => lie(signed, aggregators, board, `liar ${at}`, make));
  const coming = honest + all.filter((make) => make !== lies.at(-1)![1]).length;
  for (;;) {
    const run = coordinateRun(charter, wrap(aggregators), board, schedule(), {
      pollMilliseconds: 1,
      expected: () => coming,
    });
    if (!again) {
      await run;
      break;
    }
    const end = await run.then(
      () => 'done',
      (error: Error) => error.message,
    );
    if (end === 'done') break;
    expect(end).toBe('killed');
  }
  await Promise.all([...taking, ...lying]);
  const sums = [];
  for (let at = 0; at < board.length; at++)
    sums.push(unpackWords((await board.peek(at))!.sums, charter.wordBytes));
  return { board, sums, model: (await replayRun(charter, board, { engine })).model };
}

describe('liars', () => {
  it.each([
    [60, 200, 'dpals', { rounds: 1, rank: 2 }],
    [9, 30, 'hush', { rank: 2, rounds: 1 }],
  ])('%d of %d of every kind (%s): sums and model are exactly those of the honest ones', async (...run) => {
    const [lying, everybody, method, settings] = run;
    const signed = await draft(everybody, { method, settings });
    const all = Array.from({ length: lying }, (_, at) => lies[at % lies.length][1]);
    const honest = everybody - lying;
    const [withThem, without] = [await runWith(signed, honest, all), await runWith(signed, honest, [])];
    expect(withThem.board.end).toBeUndefined();
    expect(withThem.sums.length).toBeGreaterThanOrEqual(signed.charter.exchanges.length);
    expect(withThem.sums).toEqual(without.sums);
    expect(withThem.model).toEqual(without.model);
  });

  it.each(lies)('one that %s is left out, and the run goes on', async (_, make) => {
    const signed = await draft(4);
    const [with1, without] = [await runWith(signed, 3, [make]), await runWith(signed, 3, [])];
    expect(with1.board.end).toBeUndefined();
    expect(with1.sums).toEqual(without.sums);
  });

  it('cannot hand in more than one person’s worth: such a vector has no proof, or that of a longer bound', async () => {
    const { charter } = await draft(4);
    const planned = { lines: charter.exchanges[0], plan: charter.plan };
    const proofs = new LineProofs(planned);
    const longer = longerThan(planned, 1.05);
    // A little longer than allowed, which the other bound allows; both have bits of the same number.
    const [shape] = planned.lines;
    expect(longer.reportBytes).toEqual(proofs.reportBytes);
    const lines = planned.lines.map(({ length }) => new Float64Array(length));
    const most = longest(planned, shape);
    lines[0][0] = Math.floor(1.04 * most);
    const id = await hashHex('liar');
    await expect(proofs.split(lines, id, random(32))).rejects.toThrow('longer than its bound');
    const key = random(32);
    const verdicts = async (by: LineProofs, bodies: readonly [Uint8Array, Uint8Array]) => {
      const halves = await Promise.all(([0, 1] as const).map((at) => by.prepare(key, at, id, bodies[at])));
      return Promise.all(
        ([0, 1] as const).map((at) => by.accepts(halves[at], at, by.messageOf(halves[1 - at]))),
      );
    };
    const bodies = await longer.split(lines, id, random(32));
    expect(await verdicts(longer, bodies)).toEqual([true, true]);
    expect(await verdicts(proofs, bodies)).toEqual([false, false]);
    lines[0][0] = Math.floor(most);
    expect(await verdicts(proofs, await proofs.split(lines, id, random(32)))).toEqual([true, true]);
  });
});

/** Of one person's part of a line, in fine steps. */
const longest = ({ plan }: ExchangePlan, shape: LineShape) => {
  const line = lineOf(plan, shape);
  return line.sensitivity / fineGrid(line, shape.gridStep).step;
};

describe('aggregators', () => {
  it('fold nothing that has not proved to both of them, remember it, and say the same again', async () => {
    const { charter, hash } = await draft(4);
    const folders = [new MemoryFolder(), new MemoryFolder()];
    const shared = random(32);
    const opened = (index: number) =>
      Aggregator.open(charter, folders[index], {
        index,
        key: keys[index],
        secret: new Uint8Array(32).fill(index),
        verifyKey: shared,
      });
    const refused = (act: Promise<unknown>, status: number) => expect(act).rejects.toMatchObject({ status });
    const both = [await opened(0), await opened(1)];
    const proofs = new LineProofs({ lines: charter.exchanges[0], plan: charter.plan });
    const zeros = charter.exchanges[0].map(({ length }) => new Float64Array(length));
    const ids = (await Promise.all(['a', 'b', 'c'].map((name) => hashHex(name)))).sort();
    for (const id of ids) {
      const bodies = await proofs.split(zeros, id, random(32));
      if (id === ids[1]) bodies[0][200] ^= 1;
      for (const at of [0, 1]) await both[at].put(0, id, hash, bodies[at]);
    }
    const good = [ids[0], ids[2]];
    const [first, second] = both;
    await refused(first.fold(0, 0, good), 409);
    const told = await first.vouch(0, ids);
    expect(told.length).toBe(64 + 3 * proofs.messageBytes);
    expect(await (await opened(0)).vouch(0, ids)).toEqual(told);
    await refused(first.judge(0, ids, told), 403);
    await refused(first.vouch(0, [await hashHex('nobody')]), 409);
    const forged = told.slice();
    forged[100] ^= 1;
    await refused(second.judge(0, ids, forged), 403);
    await refused(second.judge(0, good, told), 403);
    expect(await second.judge(0, ids, told)).toEqual(good);
    expect(await second.judge(0, ids, told)).toEqual(good);
    const answer = await second.vouch(0, good);
    expect(await (await opened(1)).vouch(0, good)).toEqual(answer);
    await refused(second.fold(0, 0, ids), 409);
    await refused(first.fold(0, 0, good), 409);
    expect(await first.judge(0, good, answer)).toEqual(good);
    // Started again, both know what was proved.
    const later = [await opened(0), await opened(1)];
    const states = await Promise.all(later.map((each) => each.fold(0, 0, good)));
    expect(states[0]).toEqual(states[1]);
    await refused(later[0].vouch(0, [ids[0]]), 409);
    const { set } = states[0];
    await Promise.all(later.map((each) => each.publish(0, set)));
    await refused(later[0].vouch(0, [ids[1]]), 409);
    const plain = await smallCharter(keys, { engine });
    const [without] = await openAggregators(plain.charter, keys);
    await refused(without.vouch(0, ids), 403);
  });

  it('give nobody the point of a proof who could still choose a share by it', async () => {
    const { charter, hash } = await draft(4);
    const [first, second] = await openAggregators(charter, keys);
    const id = await hashHex('liar');
    const proofs = new LineProofs({ lines: charter.exchanges[0], plan: charter.plan });
    const zeros = charter.exchanges[0].map(({ length }) => new Float64Array(length));
    const bodies = await proofs.split(zeros, id, random(32));
    // Share 1 alone is there: what aggregator 1 says of it would tell how share 0 has to lie (norm-proof).
    await second.put(0, id, hash, bodies[1]);
    const early = () => expect(second.vouch(0, [id])).rejects.toMatchObject({ status: 409 });
    await early();
    await first.put(0, id, hash, bodies[0]);
    await early();
    const told = await first.vouch(0, [id]);
    await early();
    expect(await second.judge(0, [id], told)).toEqual([id]);
    expect(await first.judge(0, [id], await second.vouch(0, [id]))).toEqual([id]);
  });

  it('ask about the same report at other points in another exchange', async () => {
    const signed = await draft(1, { settings: { rounds: 2, rank: 2 } });
    const { charter, hash } = signed;
    const [first, second] = await openAggregators(charter, keys);
    const told: string[] = [];
    const listening = instead(first, {
      vouch: async (exchange, ids) => {
        const answer = await first.vouch(exchange, ids);
        told.push(toHex(answer.subarray(64)));
        return answer;
      },
    });
    const board = await Board.open(new MemoryFolder());
    const run = coordinateRun(charter, [listening, second], board, charteredSchedule(charter), {
      pollMilliseconds: 1,
    });
    const id = await hashHex('the same');
    let head = hash;
    const numbers: number[] = [];
    for (const [exchange, lines] of charter.exchanges.entries()) {
      const zeros = lines.map(({ length }) => new Float64Array(length));
      const proofs = new LineProofs({ lines, plan: charter.plan });
      const bodies = await proofs.split(zeros, id, new Uint8Array(32).fill(1));
      numbers.push(bodies[0].length);
      for (const at of [1, 0]) await [first, second][at].put(exchange, id, head, bodies[at]);
      head = await entryHash(((await board.entry(exchange)) as ReleasedEntry).header);
    }
    await run;
    expect(new Set(numbers).size, 'some reports are the same').toBeLessThan(numbers.length);
    expect(told).toHaveLength(charter.exchanges.length);
    expect(new Set(told).size).toBe(told.length);
  });

  it('are killed and coordinated by others at every step: the sums are the same', async () => {
    const signed = await draft(6);
    let calls = 0;
    let next = 1;
    const mortal = (ports: readonly Aggregator[]): AggregatorPort[] => {
      const counted = async <T>(act: Promise<T>): Promise<T> => {
        const answer = await act;
        if (++calls === next) throw new Error('killed');
        return answer;
      };
      calls = 0;
      next += 2;
      return ports.map((port) =>
        instead(port, {
          fold: (...given) => counted(port.fold(...given)),
          vouch: (...given) => counted(port.vouch(...given)),
          judge: (...given) => counted(port.judge(...given)),
        }),
      );
    };
    const [make] = lies.map(([, each]) => each);
    const killed = await runWith(signed, 5, [make], mortal, true);
    expect(next).toBeGreaterThan(6);
    expect(killed.sums).toEqual((await runWith(signed, 5, [])).sums);
  });

  it('have a key in common that follows from theirs, another for each charter', async () => {
    const [a, b, c] = await Promise.all([0, 1, 2].map(() => newSealingKey()));
    const key = await verifyKey(a, b.publicKey, 'charter');
    expect(key).toHaveLength(32);
    expect(await verifyKey(b, a.publicKey, 'charter')).toEqual(key);
    expect(await verifyKey(b, a.publicKey, 'other')).not.toEqual(key);
    expect(await verifyKey(c, a.publicKey, 'charter')).not.toEqual(key);
  });
});

describe('a charter', () => {
  it('with norm proofs says so, and is refused where they would show nothing', async () => {
    const { charter } = await draft(4);
    expect(charterWords(charter).join(' ')).toContain('as far as one person can: every report proves');
    expect(faultInCharter(charter)).toBeUndefined();
    expect(faultInCharter({ ...charter, screening: 0.05 })).toContain('one of both is enough');
    expect(faultInCharter({ ...charter, wordBytes: 6 })).toContain('go together');
    const { normProofs: _, ...without } = charter;
    expect(faultInCharter(without)).toContain('go together');
    expect(faultInCharter({ ...charter, aggregators: charter.aggregators.slice(0, 1) })).toContain(
      'for two aggregators, not 1',
    );
    const parties = { kind: 'parties', parties: [] } as const;
    expect(faultInCharter({ ...charter, admission: parties })).toContain('are for devices');
    const finest = charter.exchanges.map((lines) => lines.map((line) => ({ ...line, gridStep: 2 ** -60 })));
    expect(faultInCharter({ ...charter, exchanges: finest, mostPeople: 1 })).toContain(
      'cannot have norm proofs',
    );
    await expect(
      Aggregator.open(charter, new MemoryFolder(), { index: 0, key: keys[0], secret: random(32) }),
    ).rejects.toThrow('the key that they are checked with is missing');
  });
});
