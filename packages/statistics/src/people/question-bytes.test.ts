import { sharedFloat64 } from '@hushrec/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeQuestion, encodeQuestion, QuestionFormatError } from './question-bytes.js';

const arbitraryArray = fc.oneof(
  fc.float64Array(),
  fc.float32Array(),
  fc.uint32Array(),
  fc.int32Array(),
  fc.uint16Array(),
  fc.uint8Array(),
  fc.int8Array(),
);
const { question: arbitraryQuestion } = fc.letrec((tie) => ({
  question: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false, -0, Number.NaN, -Infinity),
    fc.double(),
    fc.string({ unit: 'grapheme' }),
    arbitraryArray,
    fc.array(tie('question')),
    fc.dictionary(fc.string(), tie('question'), { noNullPrototype: true }),
  ),
}));

describe('a question as bytes', () => {
  it('comes back as it was', () => {
    fc.assert(
      fc.property(arbitraryQuestion, (question) => {
        expect(decodeQuestion(encodeQuestion(question))).toStrictEqual(question);
      }),
    );
  });

  it('holds the numbers of a view alone, wherever it begins, and of shared memory', () => {
    const shared = sharedFloat64(4);
    shared.set([1, 2, 3, 4]);
    const bytes = encodeQuestion({ a: shared.subarray(1, 3), b: Uint8Array.of(9, 8, 7).subarray(1) });
    expect(decodeQuestion(bytes)).toEqual({ a: Float64Array.of(2, 3), b: Uint8Array.of(8, 7) });
    expect(bytes.length).toBeLessThan(60);
  });

  it('is refused where something in it is no plain data, with its place', () => {
    class Made {}
    for (const part of [new Made(), () => 1, undefined, 1n, new Map(), new DataView(new ArrayBuffer(1))])
      expect(() => encodeQuestion({ own: [1, { part }] })).toThrow(/^the question\.own\[1\]\.part is /);
  });

  it('is refused where it was cut or has something behind it, whatever a length claims', () => {
    const bytes = encodeQuestion({ items: Float32Array.of(1, 2), names: ['a', 'b'], deep: { x: 1 } });
    for (let end = 0; end < bytes.length; end++)
      expect(() => decodeQuestion(bytes.subarray(0, end))).toThrow(QuestionFormatError);
    expect(() => decodeQuestion(Uint8Array.of(...bytes, 0))).toThrow('1 bytes too many');
    expect(() => decodeQuestion(Uint8Array.of(5, 255, 255, 255, 255, 0))).toThrow('cut short');
    expect(() => decodeQuestion(Uint8Array.of(99))).toThrow('kind 99');
    expect(() => decodeQuestion(Uint8Array.of(16, 4, 0, 0, 0, 1, 2, 3, 4))).toThrow('half a number');
  });

  it('sets no prototype', () => {
    const bytes = encodeQuestion(JSON.parse('{"__proto__": {"polluted": 1}}'));
    const back = decodeQuestion(bytes) as Record<string, unknown>;
    expect(Object.getPrototypeOf(back)).toBe(Object.prototype);
    expect(back.polluted).toBeUndefined();
  });
});
