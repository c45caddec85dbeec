import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CanonicalJsonError, canonicalJson, parseReadableJson, readableJson } from './canonical-json.js';

describe('canonical JSON', () => {
  it('gives the bytes of the example of RFC 8785, section 3.2.3 (order of keys)', () => {
    const keys = {
      '€': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew',
      '1': 'One',
      '😀': 'Emoji',
      '\u0080': 'Control',
      ö: 'o',
    };
    expect(canonicalJson(keys)).toBe(
      '{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"o","€":"Euro Sign","😀":"Emoji","\ufb33":"Hebrew"}',
    );
  });

  it('prints numbers as ECMAScript does', () => {
    expect(canonicalJson([333333333.3333333, 1e30, 4.5, 2e-3, 1e-27, -0])).toBe(
      '[333333333.3333333,1e+30,4.5,0.002,1e-27,0]',
    );
  });

  it('does not depend on the order in which fields were set', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'grapheme' }), fc.double({ noNaN: true, noDefaultInfinity: true })),
        (fields) => {
          const reversed = Object.fromEntries(Object.entries(fields).reverse());
          expect(canonicalJson(reversed)).toBe(canonicalJson(fields));
          expect(canonicalJson(JSON.parse(canonicalJson(fields)))).toBe(canonicalJson(fields));
        },
      ),
    );
  });

  it.each([[Number.NaN], [Infinity], [() => 1], ['\ud800']])('refuses %s', (value) => {
    expect(() => canonicalJson({ a: [value] })).toThrow(CanonicalJsonError);
  });

  it('leaves out undefined and keeps a key called __proto__', () => {
    expect(canonicalJson({ b: undefined, a: 1 })).toBe('{"a":1}');
    expect(canonicalJson(JSON.parse('{"__proto__":1}'))).toBe('{"__proto__":1}');
  });
});

describe('the readable form', () => {
  const bytes = new TextEncoder().encode(readableJson({ b: [1, { c: 'x' }], a: null }));

  it('is read back', () => {
    expect(parseReadableJson(bytes)).toEqual({ a: null, b: [1, { c: 'x' }] });
  });

  it.each([
    ['{"a":1}', 'no indentation'],
    ['{\n  "a": 1.0\n}\n', 'another spelling of a number'],
    ['{\n  "b": 1,\n  "a": 1\n}\n', 'another order'],
    ['{\n  "a": 1,\n  "a": 1\n}\n', 'a key twice'],
    ['{\n  "a": "\\u0041"\n}\n', 'another spelling of a letter'],
    ['\ufeff{\n  "a": 1\n}\n', 'a byte-order mark'],
    ['{\n  "a": 1\n}', 'no final newline'],
  ])('refuses %j: %s', (text) => {
    expect(() => parseReadableJson(new TextEncoder().encode(text))).toThrow(CanonicalJsonError);
  });

  it('refuses bytes that are not UTF-8', () => {
    expect(() => parseReadableJson(Uint8Array.of(0x22, 0xff, 0x22))).toThrow(CanonicalJsonError);
  });
});
