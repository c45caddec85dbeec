import { describe, expect, it } from 'vitest';
import { toHex } from '../bytes.js';
import { LineProofs } from './line-proofs.js';
import { planOfSums } from './one-release.test.data.js';
import { fineGrid, type LineShape, lineOf } from './sharing-line.js';

const plan = planOfSums(1);
const shape: LineShape = { name: 'sums', occurrence: 0, part: 0, length: 12, gridStep: 2 ** -20, width: 1 };
/** The longest that one person's line may be, in fine steps. */
const most = 1 / fineGrid(lineOf(plan, shape), shape.gridStep).step;
const random = () => crypto.getRandomValues(new Uint8Array(32));
const id = 'ab'.repeat(32);
const key = random();

/** A line with one number that is not 0. */
function line(at: number, value: number, length = shape.length): Float64Array {
  const values = new Float64Array(length);
  values[at] = value;
  return values;
}

async function verdicts(proofs: LineProofs, reports: readonly Uint8Array[]): Promise<boolean[]> {
  const halves = await Promise.all(([0, 1] as const).map((at) => proofs.prepare(key, at, id, reports[at])));
  return Promise.all(
    ([0, 1] as const).map((at) => proofs.accepts(halves[at], at, proofs.messageOf(halves[1 - at]))),
  );
}

describe('norm proofs of lines', () => {
  it('bind to the sensitivity in fine steps, exactly', async () => {
    const proofs = new LineProofs({ lines: [shape], plan });
    const longest = Math.floor(most);
    const reports = await proofs.split([line(3, longest)], id, random());
    expect(await verdicts(proofs, reports)).toEqual([true, true]);
    await expect(proofs.split([line(3, longest + 1)], id, random())).rejects.toThrow('longer than its bound');
  });

  it('count numbers beside a diagonal twice', async () => {
    // Two triangles of two by two: numbers 1 and 4 stand beside diagonals.
    const triangles = new LineProofs({ lines: [{ ...shape, length: 6, width: 2 }], plan });
    const split = (at: number) => triangles.split([line(at, Math.floor(0.75 * most), 6)], id, random());
    for (const at of [0, 2, 3, 5]) expect(await verdicts(triangles, await split(at))).toEqual([true, true]);
    for (const at of [1, 4]) await expect(split(at)).rejects.toThrow('longer than its bound');
  });

  it('share nothing among the lines of a report, and give each line its own numbers', async () => {
    const lines = [shape, { ...shape, occurrence: 1 }];
    const proofs = new LineProofs({ lines, plan });
    const given = [line(0, 5), line(1, 7)];
    const reports = await proofs.split(given, id, random());
    const words = reports.flatMap((report) =>
      Array.from({ length: report.length / 8 }, (_, at) => toHex(report.subarray(8 * at, 8 * at + 8))),
    );
    // What both are told of randomness, 16 words a line, stands in both reports.
    expect(new Set(words).size).toBe(words.length - 2 * 16);
    const shares = await Promise.all(([0, 1] as const).map((at) => proofs.values(at, reports[at])));
    for (const at of [0, 1])
      expect(
        shares[0][at].map((value, k) => (value + shares[1][at][k]) % (2n ** 64n - 2n ** 32n + 1n)),
      ).toEqual(BigUint64Array.from(given[at], BigInt));
    const swapped = reports.map((report) => {
      const half = report.length / 2;
      return Uint8Array.of(...report.subarray(half), ...report.subarray(0, half));
    });
    expect(await verdicts(proofs, reports)).toEqual([true, true]);
    expect(await verdicts(proofs, swapped)).toEqual([false, false]);
  });

  it('are not for releases in parts, each of which would be as long as the whole may be', () => {
    expect(() => new LineProofs({ lines: [{ ...shape, part: 1 }], plan })).toThrow('comes in parts');
  });
});
