import type { CertifiedRelease, FactorModel } from '@hushrec/model';
import {
  enoughWords,
  isTooNoisy,
  judge,
  knownCatalogues,
  knownPeople,
  spreadOfCounts,
  usefulnessOf,
  usefulnessWords,
} from '@hushrec/model/usefulness';
import { describe, expect, it } from 'vitest';
import { referenceRuns } from './reference-runs.js';

/** Deterministic standard normal numbers: Box–Muller over a linear congruence. */
function normals(seed: number): () => number {
  let state = seed;
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** Exact counts of a catalogue with a long tail, `scale` times as large. */
const longTail = (items: number, scale: number) =>
  Float64Array.from({ length: items }, (_, place) => (scale * 200) / (place + items / 30));

const model = (popularity: Float32Array): FactorModel => ({
  kind: 'factors',
  feedback: 'implicit',
  rank: 1,
  itemFactors: Float32Array.from(popularity, (_, item) => (item % 2 === 0 ? 1 : -1)), // some taste
  offset: 0,
  foldIn: { ridge: 1, ridgeExponent: 0, unobservedWeight: 0 },
  popularity,
});
const counts = (noise: number): CertifiedRelease[] => [
  { name: 'item-counts', mechanism: 'gaussian', sensitivity: 1, noise, count: 1 },
];

describe('spreadOfCounts', () => {
  it.each([20, 60, 200, 1000])('sees through the noise on counts of scale %d', (scale) => {
    const exact = longTail(3000, scale);
    const draw = normals(scale);
    const released = exact.map((count) => count + 10 * draw());
    const { above, headSquare } = spreadOfCounts(released, 10);
    const truth = exact.filter((count) => count > 20).length;
    const head = exact.slice(0, 300).reduce((sum, count) => sum + (count / 10) ** 2, 0) / 300;
    expect(Math.abs(above - truth)).toBeLessThan(0.15 * truth + 15);
    expect(Math.sqrt(headSquare / head)).toBeGreaterThan(0.93);
    expect(Math.sqrt(headSquare / head)).toBeLessThan(1.07);
  });

  it('starts from catalogues that were measured', () => {
    for (const { name, headShare, tailShare } of knownCatalogues) {
      const measured = referenceRuns.filter((run) => name === run.name || name === `${run.name}, likes`);
      expect(measured, name).toContainEqual(expect.objectContaining({ headShare, tailShare }));
    }
  });

  it('does not take lucky noise for popularity', () => {
    const draw = normals(5);
    const { above, headSquare } = spreadOfCounts(Float64Array.from({ length: 3000 }, draw), 1);
    expect(above).toBeLessThan(3);
    expect(headSquare).toBeLessThan(0.3); // the largest tenth of released values has a mean square of 3
  });

  it('knows that counts floored at their noise are only known not to be more', () => {
    const exact = longTail(3000, 60);
    const draw = normals(7);
    const released = exact.map((count) => Math.max(10, count + 10 * draw()));
    const truth = exact.filter((count) => count > 20).length;
    expect(Math.abs(spreadOfCounts(released, 10).above - truth)).toBeLessThan(0.15 * truth + 15);
  });
});

it('says that everybody gets the same list, and how many items stand out from noise is no praise of it', () => {
  const known = model(Float32Array.from(longTail(200, 100)));
  const sameForAll = { ...known, itemFactors: new Float32Array(200) };
  expect(usefulnessOf(known, counts(1))!.verdict).toBe('worth-it');
  const said = usefulnessOf(sameForAll, counts(1))!;
  expect(said.verdict).toBe('same-for-all');
  expect(usefulnessWords(said)).toMatch(/^The same list for everyone: 200 of 200 items stand out/);
  expect(enoughWords(said, 1, 1e-6)).toBeUndefined();
  // Where counts are noise there is nothing to say for the list either.
  expect(usefulnessOf(sameForAll, counts(1e4))!.verdict).toBe('too-noisy');
});

describe('usefulness', () => {
  const of = (scale: number, noise: number, vectors?: { head: number | null; tail: number | null }) => {
    const draw = normals(3);
    const released = longTail(2000, scale).map((count) => count + noise * draw());
    return usefulnessOf(model(Float32Array.from(released)), counts(noise), vectors)!;
  };

  it('is worth it, weak or too noisy by how much of the head is noise', () => {
    expect(of(20, 3).verdict).toBe('worth-it');
    expect(of(20, 12).verdict).toBe('weak');
    expect(of(20, 30).verdict).toBe('too-noisy');
  });

  it('is too noisy where fewer items stand out than a list is long, and never says otherwise', () => {
    // 50 items, 3 of them far above the noise: the head of 5 is clear, and a list of 10 is not.
    const draw = normals(5);
    const released = Array.from({ length: 50 }, (_, item) => (item < 3 ? 40 : 0.2) + draw());
    const { itemsAboveNoise, verdict, needed, neededRange } = usefulnessOf(
      model(Float32Array.from(released)),
      counts(1),
    )!;
    expect(itemsAboveNoise).toBeLessThan(10);
    expect(verdict).toBe('too-noisy');
    expect(needed).toBeGreaterThan(1);
    expect(neededRange!.low).toBeLessThanOrEqual(needed);
    expect(neededRange!.high ?? Infinity).toBeGreaterThanOrEqual(needed);
    // All of a catalogue shorter than a list may stand out.
    const few = Float32Array.of(40, 30, 50);
    expect(usefulnessOf(model(few), counts(1))!.verdict).toBe('worth-it');
    // By noise alone it would be weak.
    const weak = {
      items: 50,
      itemsAboveNoise: 0,
      verdict: 'weak',
      counts: { head: 0.5, tail: null },
    } as const;
    expect(isTooNoisy(weak)).toBe(true);
    expect(usefulnessWords({ ...weak, needed: 2 })).toBe(
      'Weak: none of 50 items stands out from the noise. That is fewer than a list is long: the rest of it is chosen by noise.',
    );
  });

  it('is no better than its vectors', () => {
    expect(of(20, 3, { head: 1, tail: null }).verdict).toBe('weak');
    expect(of(20, 3, { head: null, tail: null }).verdict).toBe('too-noisy');
  });

  it('says what is missing: so many times the signal is enough', () => {
    const { needed, verdict } = judge(0.8, 1.05);
    expect(verdict).toBe('too-noisy');
    expect(judge(0.8 / needed, 1.05 / needed).verdict).toBe('worth-it');
    expect(judge(0.8 / (needed * 0.9)).verdict).toBe('weak');
  });

  // Ranges for nine draws in ten. The most counted tenth has 63, 52, 41 and 34% of all counts.
  it('says a range that holds the truth, and hardly moves with the noise', () => {
    const shapes = [0.002, 0.01, 0.03, 0.06].map((flat) =>
      longTail(2000, 1).map((_, place) => 1 / (place + 2000 * flat)),
    );
    let [held, farthest] = [0, 1];
    for (const [at, shape] of shapes.entries())
      for (const truth of [1.5, 3, 6, 12]) {
        const head = Math.sqrt(shape.slice(0, 200).reduce((sum, each) => sum + each * each, 0) / 200);
        const draws = Array.from({ length: 10 }, (_, seed) => {
          const draw = normals(1000 * at + 10 * truth + seed);
          const released = shape.map((each) => (4 * each) / (truth * head) + draw());
          return usefulnessOf(model(Float32Array.from(released)), counts(1))!;
        });
        const ranges = draws.map(({ neededRange }) => neededRange ?? { low: 1, high: 1 });
        held += ranges.filter(({ low, high }) => low <= truth && (high ?? Infinity) >= truth).length;
        const needed = draws.map((each) => each.needed);
        const apart = Math.max(...needed) / Math.min(...needed);
        if (truth <= 6) farthest = Math.max(farthest, apart);
        expect(apart, `${at}, ${truth}`).toBeLessThan(truth <= 3 ? 1.5 : truth <= 6 ? 2.5 : 4);
      }
    console.log(
      `${held} of 160 ranges hold what is needed; up to 6 times the people, draws are at most a factor of ${farthest.toFixed(1)} apart.`,
    );
    expect(held).toBeGreaterThanOrEqual(144);
  });

  it('says the least that it can be where no signal is to be seen', () => {
    const draw = normals(11);
    const none = usefulnessOf(model(Float32Array.from({ length: 3000 }, draw)), counts(1))!;
    expect(none.counts.head).toBeNull();
    expect(none.neededRange?.high).toBeNull();
    expect(none.needed).toBeGreaterThanOrEqual(none.neededRange!.low);
    expect(enoughWords(none, 1, 1e-6, { about: 100, error: 0 })).toMatch(
      /about 100 people; at least about [\d,]+ are needed, or ε of at least about \d/,
    );
  });

  it('takes no figure for people whose noise is as large as itself', () => {
    const line = { name: 'people-count', mechanism: 'gaussian', sensitivity: 1, noise: 94, count: 1 };
    const known = (about: number) => knownPeople({ people: { about, from: 'release' }, releases: [line] });
    expect(known(940)).toEqual({ about: 940, error: 0.1 });
    expect(known(1)).toBeUndefined();
    expect(knownPeople({ people: { about: 1, from: 'declaration' }, releases: [] })).toEqual({
      about: 1,
      error: 0,
    });
  });

  it('claims nothing where no counts were released with Gaussian noise', () => {
    expect(usefulnessOf(model(Float32Array.of(1, 2)), [])).toBeUndefined();
    expect(
      usefulnessOf(model(Float32Array.of(1, 2)), [{ ...counts(1)[0], mechanism: 'laplace' }]),
    ).toBeUndefined();
  });

  it('says so in words, with what would be enough', () => {
    const bad = of(20, 30);
    expect(usefulnessWords(bad)).toMatch(/^Too noisy to be personal: (only \d+|none) of 2,000 items stand/);
    expect(enoughWords(bad, 1, 1e-6, { about: 610, error: 0.1 })).toMatch(
      /about 610 people; about [\d,]+ to [\d,]+ are needed, or ε of about [\d.]+ to [\d.]+, which/,
    );
    expect(enoughWords(bad, 1, 1e-6)).toMatch(/about [\d.]+ to [\d.]+ times as many people/);
    expect(enoughWords(of(20, 3), 1, 1e-6)).toBeUndefined();
    // Of a certificate without a range.
    const { neededRange: _, ...before } = bad;
    expect(enoughWords({ ...before, needed: 7.26 }, 1, 1e-6)).toBe(
      'About 7.3 times as many people are needed, or ε of about 9.2, which protects less.',
    );
  });
});
