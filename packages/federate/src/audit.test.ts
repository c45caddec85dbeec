import { generateSigningKey, type SigningKey } from '@hushrec/model';
import { createEngine } from '@hushrec/numerics';
import { composedMu, type LineShape, packWords, plannedNoise, WordSums } from '@hushrec/privacy';
import { beforeAll, describe, expect, it } from 'vitest';
import { Aggregator, type AggregatorOptions } from './aggregator.js';
import { hashHex } from './bytes.js';
import type { SignedCharter } from './charter.js';
import { draftCharter } from './draft-charter.js';
import { MemoryFolder } from './durable-folder.js';
import { checkerboard } from './equality.test.data.js';
import { wordCount } from './exchange-plan.js';
import type { EntryHeader } from './release-log.js';

/**
 * An audit of one exchange against an adversary who is aggregator 1 and the coordinator, chose all other reports, and knows every byte but
 * aggregator 0's secret. The person's report is as long as the sensitivity allows, along the first coordinate of the first line.
 * Published word minus everything the adversary knows is Gaussian around 0 or the sensitivity: the lower bound on μ is what
 * the means of both cases, 600 runs each, differ by in standard deviations, minus four standard errors.
 */
let signed: SignedCharter;
let keys: SigningKey[];
beforeAll(async () => {
  const engine = await createEngine({ kernel: 'simd', threads: 1 });
  keys = await Promise.all([0, 1, 2].map(() => generateSigningKey()));
  const { scale } = checkerboard(2, 4, 2);
  signed = await draftCharter(
    {
      method: 'dpals',
      settings: { rounds: 1, rank: 2 },
      epsilon: 100,
      delta: 1e-5,
      catalogue: { itemCount: 4, scale, hash: '' },
      coordinator: { name: 'board', url: '', publicKey: keys[2].publicKey },
      aggregators: keys.slice(0, 2).map(({ publicKey }, at) => ({ name: String(at), url: '', publicKey })),
      noise: { by: 'aggregators', honestNeeded: 1 },
      mostPeople: 10,
      leastReports: 1,
      pace: { kind: 'reports', count: 2, longestSeconds: 10 },
      admission: { kind: 'open' },
      codeVersion: 'test',
    },
    { engine },
  );
  await engine.close();
});

const runs = 600;

/** What the adversary makes of one exchange: the first word without what she knows, in grid steps. */
type View = (isThere: boolean) => Promise<number>;

function exchangeWith(
  options: Partial<AggregatorOptions> = {},
  faults: { twice?: boolean; republish?: boolean } = {},
): View {
  return async (isThere) => {
    const { charter, hash } = signed;
    const shape = charter.exchanges[0][0];
    const count = wordCount(charter.exchanges[0]);
    const size = charter.wordBytes;
    const report = new Float64Array(count);
    if (isThere) report[0] = longest(shape);
    const published = async () => {
      const aggregator = await Aggregator.open(charter, new MemoryFolder(), {
        index: 0,
        key: keys[0],
        secret: crypto.getRandomValues(new Uint8Array(32)),
        ...options,
      });
      const ids = (await Promise.all(['person', 'invented'].map(hashHex))).sort();
      const person = await hashHex('person');
      // The adversary's seeds are zero words here, so that aggregator 0 holds reports as they are.
      for (const id of ids)
        await aggregator.put(0, id, hash, packWords(id === person ? report : new Float64Array(count), size));
      if (faults.twice) {
        const again = await hashHex('person again');
        await aggregator.put(0, again, hash, packWords(report, size));
        ids.push(again);
        ids.sort();
      }
      const { set } = await aggregator.fold(0, 0, ids);
      const sums = new WordSums(count, size);
      sums.add(await aggregator.publish(0, set));
      return sums.values()[0];
    };
    const first = await published();
    return faults.republish ? (first + (await published())) / 2 : first;
  };
}

const longest = (shape: LineShape) => {
  const line = signed.charter.plan.releases.find(({ name }) => name === shape.name)!;
  let step = shape.gridStep;
  while (line.noise / step < 1024) step /= 2;
  return Math.floor(line.sensitivity / step);
};

async function lowerBound(view: View): Promise<number> {
  const cases = await Promise.all(
    [true, false].map(async (isThere) => {
      const values: number[] = [];
      for (let run = 0; run < runs; run++) values.push(await view(isThere));
      return values;
    }),
  );
  const [withHer, without] = cases.map((values) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / runs;
    return { mean, variance: values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (runs - 1) };
  }) as [{ mean: number; variance: number }, { mean: number; variance: number }];
  const deviation = Math.sqrt((withHer.variance + without.variance) / 2);
  if (deviation === 0) return Infinity;
  const mu = (withHer.mean - without.mean) / deviation;
  // Standard error of a standardised difference of means.
  return mu - 4 * Math.sqrt(2 / runs + mu ** 2 / (4 * runs));
}

describe('an audit by all roles but one aggregator', () => {
  const claimed = () => {
    const { plan, exchanges } = signed.charter;
    const line = plan.releases.find(({ name }) => name === exchanges[0][0].name)!;
    return composedMu(line.event);
  };

  it('finds no more than is claimed, and no less than three tenths of it', async () => {
    const found = await lowerBound(exchangeWith());
    expect(found).toBeLessThanOrEqual(claimed());
    expect(found).toBeGreaterThan(0.3 * claimed());
  });

  it.each([
    ['noise that the honest aggregator forgets', () => exchangeWith({ noise: () => undefined })],
    ['a report that is counted twice', () => exchangeWith({}, { twice: true })],
    ['a second publication of the same exchange', () => exchangeWith({}, { republish: true })],
    [
      'a third of the planned variance',
      () => {
        const noise = new Map<number, Float64Array>();
        const half: AggregatorOptions['noise'] = (_, shape) => noise.get(shape.length);
        return async (isThere) => {
          for (const shape of signed.charter.exchanges[0])
            noise.set(
              shape.length,
              await plannedNoise(signed.charter.plan, shape, 3, crypto.getRandomValues(new Uint8Array(32))),
            );
          return exchangeWith({ noise: half })(isThere);
        };
      },
    ],
  ] as [string, () => View][])('notices %s', async (_, make) => {
    expect(await lowerBound(make())).toBeGreaterThan(claimed());
  });

  it('an entry has no place for the number of reports', () => {
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
});
