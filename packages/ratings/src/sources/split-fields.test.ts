import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitFields } from './split-fields.js';

describe('splitFields', () => {
  it.each([
    ['a,b,c', ',', true, ['a', 'b', 'c']],
    ['a::b::c', '::', false, ['a', 'b', 'c']],
    ['"a,b",c', ',', true, ['a,b', 'c']],
    ['"say ""hi""",c', ',', true, ['say "hi"', 'c']],
    ['a"b,c', ',', true, ['a"b', 'c']],
    ['"a",', ',', true, ['a', '']],
    ['"a,b', ',', true, undefined],
    ['"a"b,c', ',', true, undefined],
    ['"a"\tb', '\t', false, ['"a"', 'b']],
  ])('cuts %j', (line, separator, quoted, expected) => {
    expect(splitFields(line, separator, quoted)).toEqual(expected);
  });

  it('gives back fields however they were quoted', () => {
    const field = fc.string({ unit: fc.constantFrom('a', '"', ',', ' ', 'é') });
    fc.assert(
      fc.property(fc.array(field, { minLength: 1 }), (fields) => {
        const line = fields.map((text) => `"${text.replaceAll('"', '""')}"`).join(',');
        expect(splitFields(line, ',', true)).toEqual(fields);
      }),
    );
  });
});
