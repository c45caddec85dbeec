import { beforeAll, describe, expect, it } from 'vitest';
import { toBits } from './circuit.js';
import { inverse, MODULUS, powersOf, reduce, rootOfUnity } from './field.js';
import { ask } from './linear-proof.js';
import { NormProof, type Prepared } from './norm-proof.js';
import { wholeNumbers } from './numbers.js';
import { honest, type ProvedShares, RANDOM_BYTES, type Statement, splitVector } from './split.js';
import { fastKernel } from './wasm-kernel.js';
import { Usage, uniformVector, vectorOf } from './xof.js';

const kernel = fastKernel();
const bound = { length: 50, bound: 1000, tests: 100, successes: 100, proofs: 2 };
const proof = new NormProof(bound);
const key = new Uint8Array(32).fill(7);
const nonce = new Uint8Array(16).fill(9);
const random = (seed: number) => Uint8Array.from({ length: RANDOM_BYTES }, (_, at) => (at * 31 + seed) & 255);
/** Of length 1,000: as long as may be. */
const longest = Float64Array.from({ length: 50 }, (_, at) => (at === 3 ? 600 : at === 40 ? -800 : 0));

type Tamper = (split: ProvedShares) => void;

async function prepared(split: ProvedShares, by = proof): Promise<[Prepared, Prepared]> {
  const both = ([0, 1] as const).map((which) =>
    by.prepare(key, which, nonce, split.public, split.shares[which]),
  );
  return (await Promise.all(both)) as [Prepared, Prepared];
}

/** What each aggregator finds. */
async function verdicts(split: ProvedShares, by = proof): Promise<boolean[]> {
  const both = await prepared(split, by);
  const messages = [both[0].message, both[1].message] as const;
  return Promise.all(both.map((each) => by.accepts(each, messages)));
}

async function verdictsAfter(tamper: Tamper): Promise<boolean[]> {
  const split = await proof.split(longest, nonce, random(1));
  tamper(split);
  return verdicts(split);
}

/** What comes of a vector of numbers modulo q, and of saying something else of it. */
async function lie(vector: Record<number, bigint>, statement: Partial<Statement>): Promise<boolean[]> {
  const numbers = new BigUint64Array(bound.length);
  for (const [at, value] of Object.entries(vector)) numbers[Number(at)] = value;
  return verdicts(
    await splitVector(proof.shape, kernel, numbers, nonce, random(2), { ...honest, ...statement }),
  );
}

const refused = [false, false];

describe('a vector as long as allowed', () => {
  it('is accepted by both, and the shares add up to it', async () => {
    const split = await proof.split(longest, nonce, random(1));
    expect(await verdicts(split)).toEqual([true, true]);
    const [first, second] = await prepared(split);
    expect(wholeNumbers(proof.add(first.values, second.values))).toEqual(longest);
    expect(split.shares.map(({ length }) => length)).toEqual(proof.shareBytes);
    expect(first.message.length).toBe(proof.messageBytes);
    expect(await proof.values(0, split.shares[0])).toEqual(first.values);
    expect(await proof.values(1, split.shares[1])).toEqual(second.values);
  });

  it('may be bounded by a broken number', async () => {
    const broken = new NormProof({ ...bound, bound: 2.9 });
    const of = (entry: number) => Float64Array.from({ length: 50 }, (_, at) => (at < 2 ? entry : 0));
    expect(await verdicts(await broken.split(of(2), nonce, random(1)), broken)).toEqual([true, true]);
    await expect(broken.split(of(3), nonce, random(1))).rejects.toThrow('longer than its bound');
  });

  it('gives sums that are exact, of many', async () => {
    const sums = [0, 1].map(() => new BigUint64Array(50));
    const expected = new Float64Array(50);
    for (let person = 0; person < 20; person++) {
      const values = Float64Array.from({ length: 50 }, (_, at) => ((at * 37 + person * 101) % 201) - 100);
      const both = await prepared(await proof.split(values, nonce, random(person)));
      for (const [which, { values: share }] of both.entries()) sums[which] = proof.add(sums[which], share);
      for (let at = 0; at < 50; at++) expected[at] += values[at];
    }
    expect(wholeNumbers(kernel.add(sums[0], sums[1]))).toEqual(expected);
  });

  it('may have entries that count twice', async () => {
    const twice = new NormProof({ ...bound, twice: Uint32Array.of(0, 7) });
    const of = (entry: number) => Float64Array.from({ length: 50 }, (_, at) => (at === 7 ? entry : 0));
    expect(await verdicts(await twice.split(of(707), nonce, random(1)), twice)).toEqual([true, true]);
    await expect(twice.split(of(708), nonce, random(1))).rejects.toThrow('longer than its bound');
    // Both shares are what a vector that counts once would be, so that only the tested vector tells.
    expect(await verdicts(await proof.split(of(708), nonce, random(1)))).toEqual([true, true]);
  });
});

describe('whoever lies is refused by both aggregators:', () => {
  it('a vector that is too long is not split', async () => {
    const longer = longest.slice();
    longer[0] = 1;
    await expect(proof.split(longer, nonce, random(1))).rejects.toThrow('longer than its bound');
  });

  it('a squared length above the bound, with bits that do not add up', async () => {
    const lengthBits: Statement['lengthBits'] = ({ normBits }, squared) => [
      ...toBits(squared, normBits),
      ...toBits(0n, normBits),
    ];
    expect(await lie({ 0: 1001n }, { lengthBits })).toEqual(refused);
  });

  it('a squared length that is not that of the vector', async () => {
    const lengthBits: Statement['lengthBits'] = (shape) => honest.lengthBits(shape, 5n);
    expect(await lie({ 0: 1001n }, { lengthBits })).toEqual(refused);
  });

  it('bits that are no bits', async () => {
    // 1,002,001 + (−2,001) = 1,000,000: all adds up, but what is below the bound is negative.
    const lengthBits: Statement['lengthBits'] = ({ normBits, squaredBound }, squared) => [
      ...toBits(squared, normBits),
      squaredBound + MODULUS - squared,
      ...toBits(0n, normBits - 1),
    ];
    expect(await lie({ 0: 1001n }, { lengthBits })).toEqual(refused);
  });

  /** 2^96 is −1 modulo q: the squared length of (2^48, 1) is 0 there. */
  const wrapping = { 0: 2n ** 48n, 1: 1n };

  it('a length that wraps around, which fails its tests', async () => {
    await expect(lie(wrapping, {})).rejects.toThrow('Too few tests succeeded');
  });

  it('a length that wraps around, with other results of tests', async () => {
    const testBits: Statement['testBits'] = (shape, results) =>
      honest.testBits(
        shape,
        results.map(() => 0n),
      );
    expect(await lie(wrapping, { testBits })).toEqual(refused);
  });

  it('a length that wraps around, with tests that do not count', async () => {
    const testBits: Statement['testBits'] = (shape, results) =>
      [...results].flatMap((result) => {
        const short = BigInt.asIntN(64, result);
        return short < 500n && short > -500n
          ? honest.testBits({ ...shape, tests: 1, successes: 1 }, BigUint64Array.of(result))
          : [...toBits(0n, shape.testBits), 0n];
      });
    expect(await lie(wrapping, { testBits })).toEqual(refused);
  });

  it('a result that is out of range in bits that are none', async () => {
    const testBits: Statement['testBits'] = ({ testBound, testBits: count }, results) =>
      [...results].flatMap((result) => [(result + testBound - 1n) % MODULUS, ...toBits(0n, count - 1), 1n]);
    expect(await lie(wrapping, { testBits })).toEqual(refused);
  });
});

it('whoever knows the points before share 0 is fixed proves anything: until then nothing may be said of share 1', async () => {
  const { norm, encodedLength } = proof.shape;
  const lengthBits: Statement['lengthBits'] = (shape) => honest.lengthBits(shape, 5n);
  const numbers = new BigUint64Array(bound.length);
  numbers[7] = 1500n;
  const split = await splitVector(proof.shape, kernel, numbers, nonce, random(6), { ...honest, lengthBits });
  expect(await verdicts(split)).toEqual(refused);
  const [point] = await uniformVector(key, Usage.asking, [Uint8Array.of(1, proof.shape.proofs), nonce], 1);
  const both = await prepared(split);
  const verifier = kernel.add(
    ...(both.map(({ message }) => vectorOf(message.subarray(0, 8 * norm.verifierLength))!) as [
      BigUint64Array,
      BigUint64Array,
    ]),
  );
  // A straight line added to the polynomial: 0 at the point, and what is missing at the roots.
  const roots = powersOf(rootOfUnity(norm.points), norm.points).slice(1, norm.calls + 1);
  const slope = reduce(verifier[0] * inverse(reduce(roots.reduce((sum, root) => sum + root - point, 0n))));
  const view = new DataView(split.shares[0].buffer);
  for (const [at, more] of [reduce(-slope * point), slope].entries()) {
    const place = 8 * (encodedLength + norm.arity + at);
    view.setBigUint64(place, reduce(view.getBigUint64(place, true) + more), true);
  }
  expect(await verdicts(split)).toEqual([true, true]);
});

describe('what was changed is refused by both aggregators:', () => {
  const { shape } = proof;
  const numberAt = (at: number): Tamper => {
    return ({ shares }) => {
      const view = new DataView(shares[0].buffer, shares[0].byteOffset);
      view.setBigUint64(8 * at, (view.getBigUint64(8 * at, true) + 1n) % MODULUS, true);
    };
  };
  const firstProof = shape.encodedLength;
  const secondProof = firstProof + shape.norm.proofLength;
  const thirdProof = secondProof + shape.rest.proofLength;

  it.each([
    ['an entry', 0],
    ['a bit of the length', shape.length],
    ['a bit of a test', shape.normLength],
    ['the first point of the proof of the length', firstProof],
    ['its polynomial', firstProof + shape.norm.arity + 1],
    ['the first point of the next proof', secondProof],
    ['its polynomial', secondProof + shape.rest.arity],
    ['the first point of the last proof', thirdProof],
    ['its polynomial', thirdProof + shape.rest.arity + 2],
  ])('%s', async (_, at) => {
    expect(await verdictsAfter(numberAt(at))).toEqual(refused);
  });

  it('seeds of the second share', async () => {
    for (const at of [0, 32])
      expect(
        await verdictsAfter(({ shares }) => {
          shares[1][at] ^= 1;
        }),
      ).toEqual(refused);
  });

  it('blinds, and what is said of the other’s part: randomness that somebody has chosen', async () => {
    for (const which of [0, 1])
      for (const back of [64, 32])
        expect(
          await verdictsAfter(({ shares }) => {
            shares[which][shares[which].length - back] ^= 1;
          }),
        ).toEqual(refused);
    // The first aggregator is told another part of the second, and the other way round.
    for (const at of [0, 32, 64, 96])
      expect(
        await verdictsAfter((split) => {
          split.public[at] ^= 1;
        }),
      ).toContain(false);
  });

  it('randomness of another vector, replayed', async () => {
    const other = await proof.split(new Float64Array(50), nonce, random(1));
    expect(await verdictsAfter((split) => split.public.set(other.public))).toContain(false);
  });

  it('a share of another report', async () => {
    const other = await proof.split(new Float64Array(50), nonce, random(3));
    expect(await verdictsAfter(({ shares }) => shares[1].set(other.shares[1]))).toEqual(refused);
  });

  it('the nonce', async () => {
    const split = await proof.split(longest, nonce, random(1));
    const elsewhere = new Uint8Array(16).fill(1);
    const both = await Promise.all(
      ([0, 1] as const).map((which) =>
        proof.prepare(key, which, elsewhere, split.public, split.shares[which]),
      ),
    );
    expect(await proof.accepts(both[0], [both[0].message, both[1].message])).toBe(false);
  });
});

describe('messages', () => {
  let both: [Prepared, Prepared];
  beforeAll(async () => {
    both = await prepared(await proof.split(longest, nonce, random(1)));
  });

  it('are refused changed, cut off and swapped with those of another report', async () => {
    const [own, message] = [both[0], both[1].message];
    expect(await proof.accepts(own, [own.message, message])).toBe(true);
    for (const at of [0, 8, 200, message.length - 64, message.length - 1]) {
      const changed = message.slice();
      changed[at] ^= 1;
      expect(await proof.accepts(own, [own.message, changed])).toBe(false);
    }
    for (const other of [message.subarray(1), Uint8Array.of(...message, 0)])
      expect(await proof.accepts(own, [own.message, other])).toBe(false);
    const [, other] = await prepared(await proof.split(longest, nonce, random(4)));
    expect(await proof.accepts(own, [own.message, other.message])).toBe(false);
    const overflowing = message.slice();
    overflowing.fill(255, 0, 8);
    expect(await proof.accepts(own, [own.message, overflowing])).toBe(false);
  });

  it('follow from the share, whatever is said of it, and from a point that hides it', async () => {
    const split = await proof.split(longest, nonce, random(1));
    for (const at of [0, 64]) split.public.fill(0, at, at + 32);
    expect((await prepared(split))[0].message).toEqual(both[0].message);
    const { norm } = proof.shape;
    const nothing = { rows: new BigUint64Array(norm.calls * norm.arity), output: () => 0n };
    const numbers = new BigUint64Array(norm.proofLength);
    expect(() => ask(norm, nothing, numbers, MODULUS - 1n, kernel)).toThrow('root of unity');
  });

  it('are the same again for the same share, and tell nothing that is the same for another split', async () => {
    const again = await prepared(await proof.split(longest, nonce, random(1)));
    expect(again[0].message).toEqual(both[0].message);
    const [other] = await prepared(await proof.split(longest, nonce, random(5)));
    const [a, b] = [both[0].message, other.message].map((each) => new BigUint64Array(each.slice().buffer));
    expect(a.filter((value, at) => value === b[at])).toHaveLength(0);
  });
});

describe('bad input gets a clear error', () => {
  it.each([
    ['no numbers', { length: 0 }, 'A vector of 0 numbers'],
    ['a bound below 1', { bound: 0.5 }, 'The bound is 0.5'],
    ['a bound beyond the field', { bound: 2 ** 32 }, 'too long for a proof'],
    ['a bound whose range check would wrap around', { bound: 2 ** 31.5 }, 'too long for a proof'],
  ])('%s', (_, changed, message) => {
    expect(() => new NormProof({ ...bound, ...changed })).toThrow(message);
  });

  it('vectors, nonces and shares of another length', async () => {
    await expect(proof.split(new Float64Array(49), nonce, random(1))).rejects.toThrow('49 numbers');
    await expect(proof.split(longest, nonce.slice(1), random(1))).rejects.toThrow('16 bytes');
    const { public: shared, shares } = await proof.split(longest, nonce, random(1));
    await expect(proof.prepare(key, 0, nonce, shared, shares[1])).rejects.toThrow('another length');
    await expect(proof.prepare(key, 1, nonce, shared.slice(1), shares[1])).rejects.toThrow('another length');
    const full = shares[0].slice().fill(255, 0, 8);
    await expect(proof.prepare(key, 0, nonce, shared, full)).rejects.toThrow('not below the modulus');
  });
});
