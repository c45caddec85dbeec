import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BlockError, BlockWriter, isStorable, joinBlocks } from './block.js';
import { Coverage } from './coverage.js';
import { blockManifest, ManifestError, manifestIdentity } from './manifest.js';
import { addExactly, decodePart, encodePart, InexactSumError, PART_LENGTH, partsOf } from './partial-sums.js';
import { VarintReader, VarintWriter } from './varint.js';

const scales = [
  { min: 1, max: 1, step: 1 },
  { min: 0.5, max: 5, step: 0.5 },
  { min: -10, max: 10, step: 0 },
] as const;

/** People with items ascending and ratings on a scale. */
const arbitraryPeople = (scale: (typeof scales)[number]) =>
  fc
    .array(
      fc.record({
        id: fc.string({ unit: 'grapheme' }),
        items: fc.uniqueArray(fc.nat(999), { maxLength: 40 }).map((items) => items.sort((a, b) => a - b)),
        grade: fc.nat(9),
      }),
      { maxLength: 20 },
    )
    .map((people) =>
      people.map(({ id, items, grade }) => ({
        id,
        items,
        ratings: items.map((item) =>
          scale.step === 0
            ? Math.fround(((item * 7 + grade) % 100) / 7 - 7)
            : scale.min + (scale.max === scale.min ? 0 : ((item + grade) % 10) * scale.step),
        ),
      })),
    );

describe('whole numbers in bytes', () => {
  it('come back, up to 2⁵³ on both sides', () => {
    const numbers = fc.oneof(
      fc.maxSafeInteger(),
      fc.constantFrom(0, 63, 64, -64, 2 ** 52 + 1, -(2 ** 53 - 1)),
    );
    fc.assert(
      fc.property(fc.array(numbers), (values) => {
        const writer = new VarintWriter();
        for (const value of values) writer.signed(value);
        for (const value of values) writer.unsigned(Math.abs(value));
        const reader = new VarintReader(writer.take());
        expect(values.map(() => reader.signed() + 0)).toEqual(values.map((value) => value + 0));
        expect(values.map(() => reader.unsigned())).toEqual(values.map(Math.abs));
        reader.end();
      }),
    );
  });

  it('are refused where they are cut', () => {
    expect(() => new VarintReader(Uint8Array.of(128)).unsigned()).toThrow(RangeError);
    expect(() => new VarintReader(Uint8Array.of(128)).signed()).toThrow(RangeError);
    expect(() => new VarintReader(Uint8Array.of(1)).bytes(2)).toThrow(RangeError);
    expect(() => new VarintReader(Uint8Array.of(1)).end()).toThrow(RangeError);
  });
});

describe('a block of people', () => {
  it.each(scales)('comes back as it was, alone and joined with others: %o', (scale) => {
    fc.assert(
      fc.property(fc.array(arbitraryPeople(scale), { maxLength: 4 }), (groups) => {
        const writer = new BlockWriter(scale, 1000);
        const blocks = groups.map((people) => {
          for (const { id, items, ratings } of people) writer.add(id, items, ratings);
          return Buffer.from(writer.take());
        });
        const { ids, rows } = joinBlocks(blocks, scale, 1000);
        const people = groups.flat();
        expect(ids).toEqual(people.map(({ id }) => id));
        const ends = people.map((_, at) => people.slice(0, at + 1).flatMap(({ items }) => items).length);
        expect([...rows.offsets]).toEqual([0, ...ends]);
        expect([...rows.indices]).toEqual(people.flatMap(({ items }) => items));
        expect([...rows.values]).toEqual(people.flatMap(({ ratings }) => ratings));
      }),
      { numRuns: 50 },
    );
  });

  it('is refused where a byte is missing or too many, or it was made for something else', () => {
    const scale = scales[1];
    const writer = new BlockWriter(scale, 1000);
    writer.add('someone', [3, 700], [1.5, 4]);
    writer.add('another', [0, 999], [0.5, 5]);
    const block = Buffer.from(writer.take());
    for (let end = 0; end < block.length; end++)
      expect(() => joinBlocks([block.subarray(0, end)], scale, 1000)).toThrow(BlockError);
    expect(() => joinBlocks([Buffer.concat([block, Buffer.alloc(1)])], scale, 1000)).toThrow(BlockError);
    expect(() => joinBlocks([block], scale, 999)).toThrow('another catalogue');
    expect(() => joinBlocks([block], scales[2], 1000)).toThrow('another catalogue, scale');
  });

  it('never claims more than it has, whatever byte is changed, and never shows what is in it', () => {
    const scale = scales[1];
    const writer = new BlockWriter(scale, 1000);
    writer.add('someone', [3, 700, 701], [1.5, 4, 4]);
    const block = Buffer.from(writer.take());
    for (let at = 0; at < block.length; at++)
      for (const byte of [0, 127, 128, 255]) {
        const changed = Buffer.from(block);
        changed[at] = byte;
        try {
          const { rows } = joinBlocks([changed], scale, 1000);
          expect(rows.indices.every((item) => item < 1000)).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(BlockError);
          expect((error as Error).message).not.toContain('someone');
        }
      }
  });

  it('holds ratings that come back alone', () => {
    expect(isStorable(3.5, scales[1])).toBe(true);
    expect(isStorable(3.25, scales[1])).toBe(false);
    expect(isStorable(2, scales[0])).toBe(false);
    expect(isStorable(0.1, { min: 0.1, max: 1, step: 0.1 })).toBe(true);
    expect(isStorable(1e300, scales[2])).toBe(false);
  });
});

describe('pieces of sums', () => {
  it('come back, and add up exactly', () => {
    const sums = {
      a: Float64Array.from({ length: PART_LENGTH + 3 }, (_, at) => at - 40_000),
      b: Float64Array.of(-1),
    };
    const pieces = [...partsOf(sums)];
    expect(pieces.map(({ key }) => key)).toEqual(['a:0', 'a:1', 'b:0']);
    for (const { values } of pieces) expect(decodePart(encodePart(values))).toEqual(values);
    const total = Float64Array.of(2 ** 53 - 2);
    addExactly(total, Float64Array.of(1));
    expect(total[0]).toBe(2 ** 53 - 1);
  });

  it('are refused from 2⁵³ on, and where they are no whole numbers', () => {
    for (const value of [2 ** 53, -(2 ** 53), 0.5, Number.NaN, Infinity])
      expect(() => encodePart(Float64Array.of(value))).toThrow(InexactSumError);
    const total = Float64Array.of(2 ** 53 - 1);
    expect(() => addExactly(total, Float64Array.of(1))).toThrow(InexactSumError);
    expect(() => addExactly(total, Float64Array.of(2 ** 53 - 1))).toThrow(InexactSumError);
  });
});

describe('covered blocks', () => {
  it('are counted once', () => {
    const some = new Coverage(11);
    some.add(0);
    some.add(10);
    expect(some.missing).toBe(9);
    expect(() => some.add(10)).toThrow('twice');
    const others = new Coverage(11);
    for (let block = 1; block < 10; block++) others.add(block);
    some.join(others);
    expect(some.missing).toBe(0);
    expect(() => some.join(others)).toThrow('twice');
    expect(new Coverage(11, new Uint8Array(Buffer.from(some.toString(), 'base64'))).missing).toBe(0);
    expect(() => new Coverage(17, new Uint8Array(2))).toThrow(BlockError);
  });
});

describe('a manifest', () => {
  const about = { itemCount: 5, scale: scales[1] };
  const found = ['b', 'a'].map((name) => ({ name, people: 2, entries: 10 }));

  it('does not depend on the order of blocks, and changes with every one of them', () => {
    const manifest = blockManifest(found, about);
    expect(manifest).toMatchObject({ people: 4, ratings: 20, blocks: ['a', 'b'] });
    const identity = manifestIdentity(manifest);
    expect(manifestIdentity(blockManifest(found.toReversed(), about))).toBe(identity);
    for (const other of [
      blockManifest(found.slice(1), about),
      blockManifest([...found, { name: 'c', people: 1, entries: 1 }], about),
      blockManifest(found, { ...about, itemCount: 6 }),
    ])
      expect(manifestIdentity(other)).not.toBe(identity);
  });

  it('refuses a block that is there twice', () => {
    expect(() => blockManifest([...found, found[0]], about)).toThrow(ManifestError);
  });
});
