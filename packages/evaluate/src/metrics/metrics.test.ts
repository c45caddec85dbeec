import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auc } from './auc.js';
import { averagePrecision } from './average-precision.js';
import { coverage } from './coverage.js';
import { hitRate } from './hit-rate.js';
import { logLoss } from './log-loss.js';
import { mae } from './mae.js';
import { ndcg } from './ndcg.js';
import { metricValue } from './per-user.js';
import { precision } from './precision.js';
import { fullRecall, recall } from './recall.js';
import { reciprocalRank } from './reciprocal-rank.js';
import { rmse } from './rmse.js';

describe('ranking metrics, worked out by hand', () => {
  // Places 2 and 4 (from 1) of five are relevant; the person has three relevant items in all.
  const hits = Uint8Array.of(0, 1, 0, 1, 0);
  it.each([
    [recall, 3, 1 / 3], // one of the first three; min(3, 3) = 3
    [recall, 2, 1 / 2], // capped at two
    [fullRecall, 2, 1 / 3],
    [recall, 5, 2 / 3],
    [precision, 5, 2 / 5],
    [precision, 1, 0],
    [hitRate, 1, 0],
    [hitRate, 2, 1],
    [reciprocalRank, 5, 1 / 2],
    [reciprocalRank, 1, 0],
    [averagePrecision, 5, (1 / 2 + 2 / 4) / 3],
    [averagePrecision, 2, 1 / 2 / 2],
    // DCG = 1/log₂3 + 1/log₂5 = 0.630930 + 0.430677; ideal = 1 + 0.630930 + 0.5
    [ndcg, 5, 1.0616063 / 2.1309298],
    [ndcg, 2, 0.6309298 / 1.6309298],
  ] as const)('%o at %i', (metric, k, expected) => {
    expect(metric.of(hits, 3, k)).toBeCloseTo(expected, 6);
  });
  it('count the places beyond a short list as misses', () => {
    expect(precision.of(Uint8Array.of(1), 4, 10)).toBeCloseTo(0.1, 12);
    expect(ndcg.of(Uint8Array.of(1), 1, 10)).toBe(1);
  });
});

describe('ranking metrics on random lists, against slow definitions over item sets', () => {
  const scenario = fc
    .record({
      list: fc.uniqueArray(fc.nat(30), { maxLength: 20 }),
      relevant: fc.uniqueArray(fc.nat(30), { minLength: 1, maxLength: 12 }),
      k: fc.integer({ min: 1, max: 25 }),
    })
    .map(({ list, relevant, k }) => ({
      k,
      wanted: new Set(relevant),
      top: list.slice(0, k),
      hits: Uint8Array.from(list, (item) => (relevant.includes(item) ? 1 : 0)),
    }));
  const rankOf = (top: number[], item: number) => top.indexOf(item) + 1;
  it('agree', () => {
    fc.assert(
      fc.property(scenario, ({ k, wanted, top, hits }) => {
        const found = [...wanted].filter((item) => top.includes(item));
        const n = wanted.size;
        const slow = {
          recall: found.length / Math.min(n, k),
          fullRecall: found.length / n,
          precision: found.length / k,
          hr: Number(found.length > 0),
          mrr: Math.max(0, ...found.map((item) => 1 / rankOf(top, item))),
          ndcg:
            found.reduce((sum, item) => sum + Math.LN2 / Math.log(rankOf(top, item) + 1), 0) /
            Array.from({ length: Math.min(n, k) }, (_, p) => Math.LN2 / Math.log(p + 2)).reduce(
              (a, b) => a + b,
              0,
            ),
          map:
            found.reduce((sum, item) => {
              const rank = rankOf(top, item);
              return sum + found.filter((other) => rankOf(top, other) <= rank).length / rank;
            }, 0) / Math.min(n, k),
        };
        expect(recall.of(hits, n, k)).toBeCloseTo(slow.recall, 12);
        expect(fullRecall.of(hits, n, k)).toBeCloseTo(slow.fullRecall, 12);
        expect(precision.of(hits, n, k)).toBeCloseTo(slow.precision, 12);
        expect(hitRate.of(hits, n, k)).toBe(slow.hr);
        expect(reciprocalRank.of(hits, n, k)).toBeCloseTo(slow.mrr, 12);
        expect(ndcg.of(hits, n, k)).toBeCloseTo(slow.ndcg, 12);
        expect(averagePrecision.of(hits, n, k)).toBeCloseTo(slow.map, 12);
      }),
    );
  });
});

describe('rating metrics', () => {
  it('weigh pairs, not people: one person with errors 1, 1 and another with error 4', () => {
    const told = (labels: number[], predictions: number[]) => ({
      labels: Float64Array.from(labels),
      predictions: Float64Array.from(predictions),
      scores: Float64Array.from(predictions),
    });
    const perUser = (metric: typeof rmse) => {
      const people = [told([3, 3], [4, 2]), told([1], [5])].map((each) => metric.of(each));
      return {
        ...metric,
        numerator: Float64Array.from(people, ({ numerator }) => numerator),
        denominator: Float64Array.from(people, ({ denominator }) => denominator),
      };
    };
    expect(metricValue(perUser(rmse))).toBeCloseTo(Math.sqrt(18 / 3), 12);
    expect(metricValue(perUser(mae))).toBeCloseTo(2, 12);
  });
});

describe('metrics of chances', () => {
  it('auc is the share of rightly ordered pairs within a person, ties half', () => {
    const of = (labels: number[], scores: number[]) =>
      auc.of({
        labels: Float64Array.from(labels),
        predictions: new Float64Array(labels.length),
        scores: Float64Array.from(scores),
      });
    // Pairs: (1, 0): right, (1, 0.5): right; (0.2 liked, 0): right, (0.2, 0.5): wrong.
    expect(of([1, 0, 1, 0], [1, 0, 0.2, 0.5])).toEqual({ numerator: 3, denominator: 4 });
    expect(of([1, 0], [0.3, 0.3])).toEqual({ numerator: 0.5, denominator: 1 });
    expect(of([5, 3, 1], [1, 2, 3])).toEqual({ numerator: 0, denominator: 3 });
    expect(of([1, 1], [0, 1])).toEqual({ numerator: 0, denominator: 0 });
  });

  it('log-loss is −ln of the chance given to what happened', () => {
    const [labels, chances] = [Float64Array.of(1, 0, 1), Float64Array.of(0.5, 0.5, 0.25)];
    const { numerator, denominator } = logLoss.of({ labels, predictions: chances, scores: chances });
    expect(numerator).toBeCloseTo(2 * Math.log(2) + Math.log(4), 12);
    expect(denominator).toBe(3);
    const [never, certain] = [Float64Array.of(1), Float64Array.of(0)];
    expect(logLoss.of({ labels: never, predictions: certain, scores: certain }).numerator).toBeLessThan(750);
  });
});

describe('coverage', () => {
  it('is the share of items shown to anybody, with the jackknife worked out by hand', () => {
    // Lists of two: {0, 1}, {1, 2}, {1, −}; at k = 2 items 0, 1, 2 of 5; only 0 and 2 are shown to one person
    // alone.
    const lists = Int32Array.of(0, 1, 1, 2, 1, -1);
    const { value, low, high } = coverage.of(lists, 2, 2, 5);
    expect(value).toBeCloseTo(3 / 5, 12);
    // δ = (0.2, 0.2, 0), mean 2/15, Σ(δ − mean)² = 2/75; margin 1.96 √(2/3 · 2/75)
    const margin = 1.96 * Math.sqrt(((2 / 3) * 2) / 75);
    expect(low).toBeCloseTo(0.6 - margin, 12);
    expect(high).toBeCloseTo(0.6 + margin, 12);
    expect(coverage.of(lists, 2, 1, 5).value).toBeCloseTo(2 / 5, 12);
  });
});
