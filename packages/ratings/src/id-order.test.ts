import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sortIds } from './id-order.js';

describe('sortIds', () => {
  it('is numeric for whole numbers and by code points otherwise', () => {
    expect(sortIds(['10', '9', '0']).sorted).toEqual(['0', '9', '10']);
    expect(sortIds(['10', '9', 'x']).sorted).toEqual(['10', '9', 'x']);
    expect(sortIds(['10', '09']).sorted).toEqual(['09', '10']);
    expect(sortIds(['\u{1f3ac}', '\uffee', 'z']).sorted).toEqual(['z', '\uffee', '\u{1f3ac}']);
  });

  it('is the order of UTF-8 bytes, whatever the order of arrival', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: 1 }), (ids) => {
        fc.pre(!ids.every((id) => /^\d+$/.test(id)));
        const { sorted, newIndex } = sortIds(ids);
        expect(sorted).toEqual([...ids].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
        expect(sortIds([...ids].reverse()).sorted).toEqual(sorted);
        ids.forEach((id, k) => {
          expect(sorted[newIndex[k]]).toBe(id);
        });
      }),
    );
  });
});
