import { generateSigningKey, type SigningKey } from '@hushrec/model/signing';
import { createEngine, type Engine } from '@hushrec/numerics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noisyWords } from './aggregator-noise.js';
import { hashHex } from './bytes.js';
import type { SignedCharter } from './charter.js';
import { wordCount } from './exchange-plan.js';
import { entryHash, firstHead, headerOf } from './release-log.js';
import { addUpWords } from './sharing/sharing.js';
import { fineGrid, lineOf } from './sharing/sharing-line.js';
import { expandSeed, packWords, WordSums } from './sharing/sharing-words.js';
import { openAggregators, smallCharter } from './small-charter.test.data.js';

const items = 20_000;
let engine: Engine;
let keys: SigningKey[];
beforeAll(async () => {
  engine = await createEngine({ kernel: 'simd', threads: 1 });
  keys = await Promise.all([0, 1, 2].map(() => generateSigningKey()));
});
afterAll(() => engine.close());

/**
 * What each aggregator published minus the exact sum of its shares, in standard deviations of what it has to
 * add, for two exchanges: numbers of the first line of each. What is handed in is random.
 */
async function residuals({ charter, hash }: SignedCharter): Promise<Float64Array[][]> {
  const aggregators = await openAggregators(charter, keys);
  const found: Float64Array[][] = [];
  let previous = firstHead(hash);
  for (let exchange = 0; exchange < 2; exchange++) {
    const lines = charter.exchanges[exchange];
    const count = wordCount(lines);
    const reports = await Promise.all(
      ['one', 'other'].map(async (name) => ({
        id: await hashHex(`${name} ${exchange}`),
        bodies: [randomBytes(count * charter.wordBytes), randomBytes(32)],
      })),
    );
    reports.sort((a, b) => (a.id < b.id ? -1 : 1));
    const shape = lines[0];
    const { effective } = fineGrid(lineOf(charter.plan, shape), shape.gridStep);
    const sigma = effective / Math.sqrt(charter.noise.honestNeeded);
    let set = '';
    const shares: Uint8Array[] = [];
    found.push([]);
    for (const [at, aggregator] of aggregators.entries()) {
      const exact = new WordSums(count, charter.wordBytes);
      for (const { id, bodies } of reports) {
        expect((await aggregator.put(exchange, id, previous, bodies[at])).status).toBe(201);
        exact.add(at === 0 ? bodies[0] : await expandSeed(bodies[1], count, charter.wordBytes));
      }
      const ids = reports.map(({ id }) => id);
      ({ set } = await aggregator.fold(exchange, 0, ids));
      const words = await aggregator.publish(exchange, set);
      shares.push(words);
      const difference = new WordSums(count, charter.wordBytes);
      difference.add(words);
      difference.addValues(
        exact.values().map((value) => -value),
        0,
      );
      // Beside the diagonal of a triangle of two rows lies half the variance.
      const isBeside = (at: number) => shape.width === 2 && at % 3 === 1;
      found[exchange].push(
        difference
          .values()
          .subarray(0, items)
          .map((value, at) => (value / sigma) * (isBeside(at) ? Math.SQRT2 : 1)),
      );
    }
    const sums = packWords(addUpWords(shares, count, charter.wordBytes), charter.wordBytes);
    const header = await headerOf({ charter: hash, exchange, previous, set }, shares, sums);
    for (const aggregator of aggregators) await aggregator.attest(header, shares);
    previous = await entryHash(header);
  }
  return found;
}

function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  return bytes;
}

/** Ends of sixteen parts of the normal law, of one sixteenth each. */
const ends = [
  -1.534121, -1.150349, -0.887147, -0.67449, -0.488776, -0.318639, -0.157311, 0, 0.157311, 0.318639, 0.488776,
  0.67449, 0.887147, 1.150349, 1.534121,
];

/** χ² of how many draws lie in each part: 15 degrees of freedom. */
function chiSquare(draws: Float64Array): number {
  const counts = new Array<number>(ends.length + 1).fill(0);
  for (const draw of draws) counts[ends.filter((end) => draw > end).length]++;
  const expected = draws.length / counts.length;
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

/** Standard errors by which the variance differs from 1. */
const offVariance = (draws: Float64Array) =>
  Math.abs(draws.reduce((sum, draw) => sum + draw * draw, 0) - draws.length) / Math.sqrt(2 * draws.length);

/** Standard errors by which the mean product of two lists differs from 0. */
const together = (a: Float64Array, b: Float64Array) =>
  Math.abs(a.reduce((sum, value, at) => sum + value * b[at], 0)) / Math.sqrt(a.length);

/**
 * A false alarm of χ² with 15 degrees of freedom has probability 10⁻⁹ here; 2·10⁻⁹ for six standard errors.
 */
const MOST_CHI_SQUARE = 76;
const MOST_ERRORS = 6;

describe.each([1, 2])('what aggregators publish, where %d of two must be honest', (honestNeeded) => {
  it('is the exact sum with noise of the planned law, and no two share any', async () => {
    const signed = await smallCharter(
      keys,
      { engine },
      {
        epsilon: 20,
        catalogue: { itemCount: items, scale: { min: 1, max: 5, step: 1 }, hash: '' },
        noise: { by: 'aggregators', honestNeeded },
      },
    );
    const [first, second] = await residuals(signed);
    const all = [...first, ...second];
    for (const draws of all) {
      expect(chiSquare(draws)).toBeLessThan(MOST_CHI_SQUARE);
      expect(offVariance(draws)).toBeLessThan(MOST_ERRORS);
      for (const scale of [0.93, 1.07])
        expect(offVariance(draws.map((draw) => scale * draw)), 'a wrong scale is noticed').toBeGreaterThan(
          MOST_ERRORS,
        );
    }
    for (const [at, one] of all.entries())
      for (const other of all.slice(at + 1)) expect(together(one, other)).toBeLessThan(MOST_ERRORS);
    const shared = first[0].map((draw, at) => 0.1 * draw + Math.sqrt(0.99) * first[1][at]);
    expect(together(first[0], shared), 'a hundredth of the variance in common').toBeGreaterThan(MOST_ERRORS);
    // Together they have what the plan asks for, or twice that where one of them is enough.
    const sum = first[0].map((draw, at) => (draw + first[1][at]) / Math.SQRT2);
    expect(chiSquare(sum)).toBeLessThan(MOST_CHI_SQUARE);
    expect(offVariance(sum)).toBeLessThan(MOST_ERRORS);
  });
});

it('two sets, and two sums of one set, get independent noise from one secret', async () => {
  const signed = await smallCharter(
    keys,
    { engine },
    { epsilon: 20, catalogue: { itemCount: items, scale: { min: 1, max: 5, step: 1 }, hash: '' } },
  );
  const { charter, hash } = signed;
  const count = wordCount(charter.exchanges[0]);
  const shape = charter.exchanges[0][0];
  const { effective } = fineGrid(lineOf(charter.plan, shape), shape.gridStep);
  const secret = crypto.getRandomValues(new Uint8Array(32));
  const zeros = new Uint8Array(count * charter.wordBytes);
  const more = zeros.slice();
  more[0] = 1;
  /** Noise on the first line, of an aggregator that was put back to its beginning. */
  const noiseOf = async (names: readonly string[], last = zeros) => {
    const [aggregator] = await openAggregators(charter, keys, () => ({ secret }));
    const ids = (await Promise.all(names.map((name) => hashHex(name)))).sort();
    for (const [at, id] of ids.entries()) await aggregator.put(0, id, hash, at === 0 ? last : zeros);
    const { set } = await aggregator.fold(0, 0, ids);
    const sums = new WordSums(count, charter.wordBytes);
    sums.add(await aggregator.publish(0, set));
    const values = sums.values();
    values[0] -= last[0];
    return values.subarray(0, Math.min(items, shape.length)).map((value) => value / effective);
  };
  const first = await noiseOf(['a', 'b']);
  expect(await noiseOf(['a', 'b']), 'the same again').toEqual(first);
  const others = [await noiseOf(['a', 'c']), await noiseOf(['a', 'b'], more)];
  expect(together(first, first), 'what is shared would be noticed').toBeGreaterThan(MOST_ERRORS);
  for (const [at, one] of [first, ...others].entries())
    for (const other of [first, ...others].slice(at + 1))
      expect(together(one, other)).toBeLessThan(MOST_ERRORS);
});

it('two lines of one exchange get independent noise', async () => {
  const signed = await smallCharter(
    keys,
    { engine },
    { epsilon: 20, catalogue: { itemCount: items, scale: { min: 1, max: 5, step: 1 }, hash: '' } },
  );
  const { charter, hash } = signed;
  const [shape] = charter.exchanges[0];
  const planned = { lines: [shape, { ...shape, occurrence: 1 }], plan: charter.plan };
  const words = wordCount(planned.lines);
  const noise = new WordSums(words, charter.wordBytes);
  const secret = crypto.getRandomValues(new Uint8Array(32));
  const nothing = new WordSums(words, charter.wordBytes);
  noise.add(await noisyWords(charter, hash, { number: 0, planned, words }, nothing, '00', { secret }));
  const { effective } = fineGrid(lineOf(charter.plan, shape), shape.gridStep);
  const draws = noise.values().map((value) => value / effective);
  const [one, other] = [draws.subarray(0, words / 2), draws.subarray(words / 2)];
  expect(together(one, other)).toBeLessThan(MOST_ERRORS);
  for (const each of [one, other]) expect(offVariance(each)).toBeLessThan(MOST_ERRORS);
});
