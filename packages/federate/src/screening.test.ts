import { generateSigningKey, type SigningKey } from '@hushrec/model/signing';
import { createEngine, type Engine } from '@hushrec/numerics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Aggregator } from './aggregator.js';
import { Board } from './board.js';
import { hashHex } from './bytes.js';
import { type Charter, noiseOnLook, noiseOnSum, type SignedCharter } from './charter.js';
import { coordinateRun } from './coordinate-run.js';
import type { CharterRequest } from './draft-charter.js';
import { type DurableFolder, MemoryFolder } from './durable-folder.js';
import { checkerboard, dealt } from './equality.test.data.js';
import { type ExchangePlan, wordCount } from './exchange-plan.js';
import { entryHash } from './release-log.js';
import { charteredSchedule, replayRun } from './schedule.js';
import { isPossible, LOOKS, MOST_IN_LOOK, reachOfLiar, screeningScales } from './screening.js';
import { fineGrid, lineOf } from './sharing/sharing-line.js';
import { expandSeed, packWords, unpackWords } from './sharing/sharing-words.js';
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
      screening: 0.05,
      epsilon: 20,
      mostPeople: people,
      leastReports: 1,
      catalogue: { itemCount: items, scale: { min: 1, max: 5, step: 1 }, hash: '' },
      pace: { kind: 'reports', count: people, longestSeconds: 600 },
      ...change,
    },
  );

/** What one liar hands in at an exchange, in fine steps. */
type Lie = (planned: ExchangePlan, charter: Charter) => Float64Array;

/** The most that a sum may have at one place, times a factor; zeros elsewhere. */
const push =
  (factor: number, at = 0): Lie =>
  ({ lines, plan }, { mostPeople }) => {
    const values = new Float64Array(wordCount(lines));
    const line = lineOf(plan, lines[0]);
    values[at % values.length] = Math.round(
      (factor * mostPeople * line.sensitivity) / fineGrid(line, lines[0].gridStep).step,
    );
    return values;
  };
const everywhere: Lie = ({ lines }, { wordBytes }) =>
  new Float64Array(wordCount(lines)).fill(2 ** (8 * wordBytes - 3));
const randomWords: Lie = ({ lines }, { wordBytes }) =>
  unpackWords(crypto.getRandomValues(new Uint8Array(wordCount(lines) * wordBytes)), wordBytes);
const long: Lie = ({ lines, plan }, { mostPeople }) => {
  const line = lineOf(plan, lines[0]);
  const each = Math.round((mostPeople * line.sensitivity) / fineGrid(line, lines[0].gridStep).step);
  return Float64Array.from({ length: wordCount(lines) }, (_, at) => (at % 2 === 0 ? each : -each));
};

/** Hands in lies at every exchange, as soon as it is open. */
async function lie(
  { charter, hash }: SignedCharter,
  aggregators: readonly Aggregator[],
  board: Board,
  name: string,
  make: Lie | 'half',
) {
  let head = hash;
  for (const [exchange, lines] of charter.exchanges.entries()) {
    const id = await hashHex(`${name} ${exchange}`);
    const seed = crypto.getRandomValues(new Uint8Array(32));
    const values =
      make === 'half' ? new Float64Array(wordCount(lines)) : make({ lines, plan: charter.plan }, charter);
    const words = packWords(wrapped(values, charter), charter.wordBytes);
    if (make !== 'half') await aggregators[1].put(exchange, id, head, seed);
    const mask = unpackWords(await expandSeed(seed, values.length, charter.wordBytes), charter.wordBytes);
    const masked = unpackWords(words, charter.wordBytes).map((value, at) => value - mask[at]);
    const body = packWords(modular(masked, charter), charter.wordBytes);
    await aggregators[0].put(exchange, id, head, body);
    const entry = await board.entry(exchange);
    if ('over' in entry) return;
    head = await entryHash(entry.header);
  }
}

const modular = (values: Float64Array, { wordBytes }: Charter) => {
  const half = 2 ** (8 * wordBytes - 1);
  return values.map((value) => (value < -half ? value + 2 * half : value >= half ? value - 2 * half : value));
};
const wrapped = (values: Float64Array, { wordBytes }: Charter) => {
  const half = 2 ** (8 * wordBytes - 1);
  return values.map((value) => Math.max(-half, Math.min(half - 1, value)));
};

/** A run of honest devices and liars; the model that comes of it, or the reason why none does. */
async function runWith(signed: SignedCharter, honest: number, lies: readonly (Lie | 'half')[], noise = true) {
  const { charter } = signed;
  const board = await Board.open(new MemoryFolder());
  const aggregators = await openAggregators(charter, keys, () => (noise ? {} : { noise: () => undefined }));
  const folders = dealt(checkerboard(honest, items, 8), honest);
  const taking = folders.map((own) =>
    takePart(
      ...([signed, own, { engine }] as const),
      { trusted: [keys[0].publicKey], mostEpsilon: 100, mostDelta: 1, kept: 'one-person' },
      { aggregators, log: board },
      { folder: new MemoryFolder(), checked: true },
    ),
  );
  for (const each of taking) each.catch(() => undefined);
  const lying = lies.map((make, at) => lie(signed, aggregators, board, `liar ${at}`, make));
  const coming = honest + lies.filter((make) => make !== 'half').length;
  await Promise.all([
    coordinateRun(charter, aggregators, board, charteredSchedule(charter), {
      pollMilliseconds: 1,
      expected: () => coming,
    }),
    ...taking,
    ...lying,
  ]);
  return { board, aggregators, sums: await firstSums(board, charter) };
}

const firstSums = async (board: Board, { wordBytes }: Charter) =>
  unpackWords((await board.peek(0))!.sums, wordBytes);

describe('looks at reports', () => {
  it('are as many as the charter provides for, whoever asks and whatever is started again', async () => {
    const signed = await draft(8);
    const { charter, hash } = signed;
    const kept: DurableFolder = new MemoryFolder();
    const opened = () =>
      Aggregator.open(charter, kept, { index: 1, key: keys[1], secret: new Uint8Array(32).fill(2) });
    const ids = (await Promise.all(['a', 'b', 'c'].map((name) => hashHex(name)))).sort();
    const first = await opened();
    for (const id of ids) await first.put(0, id, hash, new Uint8Array(32).fill(7));
    const refused = (act: Promise<unknown>, status: number) => expect(act).rejects.toMatchObject({ status });
    await refused(first.look(0, []), 400);
    await refused(first.look(0, [ids[1], ids[0]]), 409);
    await refused(first.look(0, [await hashHex('nobody')]), 409);
    await refused(
      first.look(
        0,
        Array.from({ length: MOST_IN_LOOK + 1 }, () => ids[0]),
      ),
      400,
    );
    const group = await first.look(0, ids);
    const alone = await first.look(0, [ids[0]]);
    for (const aggregator of [first, await opened()]) {
      expect(await aggregator.look(0, ids), 'the same bytes again').toEqual(group);
      expect(await aggregator.look(0, [ids[0]])).toEqual(alone);
      await refused(aggregator.look(0, ids.slice(0, 2)), 403);
      expect(await aggregator.looks(0)).toHaveLength(LOOKS);
    }
    // Two processes on one folder know of each other's looks.
    const [again, beside] = [await opened(), await opened()];
    expect(await beside.looks(0)).toHaveLength(LOOKS);
    await again.look(0, ids.slice(1));
    await refused(beside.look(0, [ids[1]]), 403);
    await refused(again.look(0, [ids[1]]), 403);
    const { set } = await again.fold(0, 0, ids);
    await again.publish(0, set);
    await refused(again.look(0, [ids[0]]), 409);
    const none = await smallCharter(keys, { engine });
    const [plain] = await openAggregators(none.charter, keys);
    await refused(plain.look(0, ids), 403);
  });

  it('and the sum together cost what the plan says, and have the noise that they must', async () => {
    const fraction = 0.05;
    const { sum, look } = screeningScales(fraction);
    expect(1 / sum ** 2 + LOOKS / look ** 2).toBeCloseTo(1, 12);
    const { charter, hash } = await draft(8, { screening: fraction });
    expect(noiseOnSum(charter)).toBeCloseTo(Math.SQRT2 / Math.sqrt(0.95), 12);
    const secrets = Array.from({ length: 40 }, () => crypto.getRandomValues(new Uint8Array(32)));
    const id = await hashHex('a');
    const seed = new Uint8Array(32).fill(7);
    const count = wordCount(charter.exchanges[0]);
    const exact = unpackWords(await expandSeed(seed, count, charter.wordBytes), charter.wordBytes);
    const squares = { look: 0, sum: 0 };
    const modulus = 2 ** (8 * charter.wordBytes);
    const [shape] = charter.exchanges[0];
    for (const secret of secrets) {
      const aggregator = await Aggregator.open(charter, new MemoryFolder(), {
        index: 1,
        key: keys[1],
        secret,
      });
      await aggregator.put(0, id, hash, seed);
      const looked = unpackWords(await aggregator.look(0, [id]), charter.wordBytes);
      const { set } = await aggregator.fold(0, 0, [id]);
      const published = unpackWords(await aggregator.publish(0, set), charter.wordBytes);
      const off = (values: Float64Array, at: number) => {
        const difference = (values[at] - exact[at] + 2.5 * modulus) % modulus;
        return difference - modulus / 2;
      };
      for (let at = 0; at < shape.length; at++) {
        squares.look += off(looked, at) ** 2;
        squares.sum += off(published, at) ** 2;
      }
    }
    const { effective } = fineGrid(lineOf(charter.plan, shape), shape.gridStep);
    const n = secrets.length * shape.length;
    // Six standard errors of a variance: alarms falsely once in 10⁹ runs.
    const near = (square: number, scale: number) =>
      expect(Math.abs(square / n / (scale * effective) ** 2 - 1)).toBeLessThan(6 * Math.sqrt(2 / n));
    near(squares.look, look);
    near(squares.sum, sum);
  });
});

describe('liars', () => {
  it.each([
    ['pushes one item by half of what a sum may have', push(0.5)],
    ['hands in three times what a sum may have', push(3)],
    ['hands in large numbers everywhere', everywhere],
    ['hands in random words', randomWords],
    ['hands in much at every second place', long],
  ] as const)('one of 100 %s: it is left out, and the run goes on', async (_, make) => {
    const signed = await draft(100_000, { pace: { kind: 'reports', count: 100, longestSeconds: 600 } });
    const { board, aggregators, sums } = await runWith(signed, 99, [make]);
    expect(board.length).toBe(signed.charter.exchanges.length);
    expect(board.end).toBeUndefined();
    await replayRun(signed.charter, board, { engine });
    const [shape] = signed.charter.exchanges[0];
    const line = lineOf(signed.charter.plan, shape);
    const { step, effective } = fineGrid(line, shape.gridStep);
    const most = (99 * line.sensitivity) / step + 7 * noiseOnSum(signed.charter) * effective;
    for (const value of sums.subarray(0, shape.length)) expect(Math.abs(value)).toBeLessThan(most);
    expect(aggregators[0].exchange).toBe(signed.charter.exchanges.length);
  });

  it('hide among others as far as the charter says, and no further', async () => {
    const { charter } = await draft(100_000);
    const { releases } = charter.plan;
    const onLook = noiseOnLook(charter);
    const reach = reachOfLiar(charter, onLook);
    const ratio = ({ noise, sensitivity }: (typeof releases)[number]) => noise / sensitivity;
    const worst = releases.reduce((most, line) => (ratio(line) > ratio(most) ? line : most));
    const lines = charter.exchanges.flat().filter((shape) => lineOf(charter.plan, shape) === worst);
    expect(lines.length).toBeGreaterThan(0);
    const [shape] = lines;
    const { step, effective } = fineGrid(worst, shape.gridStep);
    const person = worst.sensitivity / step;
    // 31 honest people at −1 each beside the liar, and noise 7 standard deviations below zero.
    const seen = (people: number) => {
      const values = new Float64Array(shape.length);
      values[0] = (people - (MOST_IN_LOOK - 1)) * person - 7 * onLook * effective;
      return isPossible({ lines: [shape], plan: charter.plan }, values, MOST_IN_LOOK, onLook);
    };
    expect(seen(reach - 0.01)).toBe(true);
    expect(seen(reach + 0.01)).toBe(false);
  });

  it('below what can be told move a number as far as the charter says, and cannot end the run', async () => {
    const signed = await draft(100);
    const { charter } = signed;
    const [shape] = charter.exchanges[0];
    const line = lineOf(charter.plan, shape);
    const { effective } = fineGrid(line, shape.gridStep);
    const quiet: Lie = ({ lines }) => {
      const values = new Float64Array(wordCount(lines));
      values[0] = Math.round(2 * noiseOnLook(charter) * effective);
      return values;
    };
    const { board } = await runWith(
      signed,
      60,
      Array.from({ length: 40 }, () => quiet),
    );
    expect(board.end).toBeUndefined();
    expect(board.length).toBe(charter.exchanges.length);
  });

  it('60 of 200 of every kind: the model is that of the honest ones, up to noise', async () => {
    const lies: (Lie | 'half')[] = [push(0.5), push(3, 5), everywhere, randomWords, long, 'half'];
    // Lies above what noise hides (`reachOfLiar`); those below are in the sums, and the charter says how far
    // they reach.
    const signed = await draft(100_000, { pace: { kind: 'reports', count: 200, longestSeconds: 600 } });
    const { charter } = signed;
    expect(reachOfLiar(charter, noiseOnLook(charter))).toBeLessThan(1000);
    const all = Array.from({ length: 60 }, (_, at) => lies[at % lies.length]);
    // Without noise on what is published the honest sums show whether any lie is in them.
    const [with60, without] = [await runWith(signed, 140, all), await runWith(signed, 140, [])];
    expect(with60.board.length).toBe(charter.exchanges.length);
    const [shape] = charter.exchanges[0];
    const { effective } = fineGrid(lineOf(charter.plan, shape), shape.gridStep);
    const off = with60.sums.map((value, at) => value - without.sums[at]).subarray(0, shape.length);
    for (const value of off)
      expect(Math.abs(value)).toBeLessThan(7 * Math.SQRT2 * noiseOnSum(charter) * effective);
    const quiet = [await runWith(signed, 140, all, false), await runWith(signed, 140, [], false)];
    expect(quiet[0].sums, 'without noise: exactly theirs').toEqual(quiet[1].sums);
    const models = await Promise.all(quiet.map(({ board }) => replayRun(charter, board, { engine })));
    expect(models[0].model).toEqual(models[1].model);
  });

  it('killed coordinators look at no report in another group', async () => {
    const signed = await draft(40, { pace: { kind: 'reports', count: 40, longestSeconds: 600 } });
    const { charter } = signed;
    const board = await Board.open(new MemoryFolder());
    const aggregators = await openAggregators(charter, keys);
    const lying = lie(signed, aggregators, board, 'liar', push(3));
    const taking = dealt(checkerboard(39, items, 8), 39).map((own) =>
      takePart(
        ...([signed, own, { engine }] as const),
        { trusted: [keys[0].publicKey], mostEpsilon: 100, mostDelta: 1, kept: 'one-person' },
        { aggregators, log: board },
        { folder: new MemoryFolder(), checked: true },
      ),
    );
    // Dies at its n-th look, with one aggregator asked and the other not.
    let looks = 0;
    let next = 1;
    const mortal = aggregators.map((aggregator) =>
      instead(aggregator, {
        look: async (...given) => {
          if (++looks === next) throw new Error('killed');
          return aggregator.look(...given);
        },
      }),
    );
    for (; ; next += 3) {
      looks = 0;
      const run = coordinateRun(charter, mortal, board, charteredSchedule(charter), { pollMilliseconds: 1 });
      const end = await run.then(
        () => 'done',
        (error: Error) => error.message,
      );
      if (end === 'done') break;
      expect(end).toBe('killed');
    }
    await Promise.all([...taking, lying]);
    expect(next).toBeGreaterThan(20);
    expect(board.end).toBeUndefined();
  });
});
