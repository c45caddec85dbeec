import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { SeededRandom } from '../seeded-random.js';
import { type DelimitedLayout, delimitedLayout, type LayoutOptions } from './delimited-layout.js';
import type { EncodedRows } from './encoded-rows.js';
import { readDelimited } from './read-delimited.js';
import { RowCollector } from './row-collector.js';
import { listSourceFiles, type SourceFile } from './source-file.js';
import { splitFields } from './split-fields.js';

const folder = await mkdtemp(join(tmpdir(), 'hushrec-delimited-'));
afterAll(() => rm(folder, { recursive: true, force: true }));
const scale = { min: 1, max: 5, step: 1 };

/**
 * Every line as text through the collector: what `readDelimited` must come to, whatever it takes as bytes.
 */
function lineByLine(
  file: SourceFile,
  text: string,
  layout: DelimitedLayout,
  skipBadRows: number,
): EncodedRows {
  const collector = new RowCollector(scale, layout.time !== undefined);
  text.split('\n').forEach((withReturn, k) => {
    const line = withReturn.replace(/\r$/, '');
    if (line === '' || (k === 0 && layout.header)) return;
    const fields = splitFields(line, layout.separator, layout.quoted);
    if (fields === undefined) collector.bad.add(k + 1, 'a quote is not closed or is followed by text');
    else if (fields.length !== layout.fieldCount)
      collector.bad.add(
        k + 1,
        `there are ${fields.length} fields where the first line has ${layout.fieldCount}`,
      );
    else
      collector.addText(
        k + 1,
        fields[layout.user],
        fields[layout.item],
        layout.rating === undefined ? undefined : fields[layout.rating],
        layout.time === undefined ? undefined : fields[layout.time],
      );
  });
  collector.bad.check(file.displayName, skipBadRows, collector.count);
  return collector.finish();
}

async function compare(text: string, options: LayoutOptions, skipBadRows = 0) {
  const path = join(folder, 'data.csv');
  await writeFile(path, text);
  const [file] = await listSourceFiles(path);
  const layout = await delimitedLayout(file, options);
  const message = (error: unknown) => (error as Error).message;
  const read = await readDelimited(file, layout, { scale, skipBadRows }).catch(message);
  let expected: EncodedRows | string;
  try {
    expected = lineByLine(file, text, layout, skipBadRows);
  } catch (error) {
    expected = message(error);
  }
  if (typeof expected !== 'string' && expected.users.length === 0) expect(read).toMatch(/it has no ratings/);
  else expect(read).toEqual(expected);
  return expected;
}

const id = fc.oneof(
  fc.constantFrom('1', '2', '10', 'é', '🎬', ' a ', '"q""r"', '"s,t"', 'NULL', '#x', "o'k", 'a\rb', 'c:d'),
  fc.string({ unit: fc.constantFrom('a', 'b', '0'), minLength: 1, maxLength: 3 }),
);
const rating = fc.constantFrom(
  '1',
  '5',
  '3.0',
  ' 4',
  '+2',
  '1e0',
  '4.',
  '2.0000000000000001',
  '-1',
  '3.0000001',
);
const time = fc.constantFrom(
  '0',
  '978300760',
  '978300760000',
  '1.5',
  '-3.25',
  '.5',
  '123456789012345678',
  '-0',
);
const odd = fc.constantFrom(
  'a,b',
  'a,b,11,0',
  'a,b,NaN,0',
  ',b,1,0',
  'a,b,0_5,0',
  '"a,b,1,0',
  'a,b,1,never',
  'a,b,1,0,0',
  'a,b,0x1,1',
  'a,b,,1',
  'a,b,.,1',
  'a,b,-,1',
  'a,b,1.0.0,1',
  'a,b,inf,0',
  'a,b,1,1e15',
  'a,b,1,2020-01-01',
  'a,b,1.5,0',
  '"a"x,b,1,0',
  `${'é'.repeat(256)},b,1,0`,
  `${'é'.repeat(257)},b,1,0`,
  `${'x'.repeat(513)},b,1,0`,
  ' ,b,1,0',
  '"",b,1,0',
  '\r',
  '',
);

describe('readDelimited', () => {
  const line = fc.oneof(
    { weight: 20, arbitrary: fc.tuple(id, id, rating, time).map((fields) => fields.join(',')) },
    { weight: 1, arbitrary: odd },
  );
  it('gives the rows and bad rows of reading every line as text', async () => {
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 60 }),
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        fc.boolean(),
        fc.constantFrom(0, 1e9),
        async (lines, end, header, ended, skipBadRows) => {
          const text = [header ? 'user,item,rating,time' : 'a,b,1,0', ...lines, ...(ended ? [''] : [])].join(
            end,
          );
          const result = await compare(text, { columns: ['1', '2', '3', '4'], header }, skipBadRows);
          if (typeof result === 'string') refused++;
        },
      ),
      { numRuns: 120, seed: 20 },
    );
    expect(refused).toBeLessThan(90);
  });

  it.each([
    ['::', { columns: ['1', '2', '3', '4'], header: false }],
    ['\t', { columns: ['2', '1', '3'], header: false }],
    [' ', { columns: ['1', '2'], header: false }],
    ['é', { columns: ['1', '2', '3'], separator: 'é', header: false }],
    ['abc', { columns: ['1', '2', '3'], separator: 'abc', header: false }],
  ] as const)('does so with the separator %j', async (separator, options) => {
    const random = new SeededRandom(3);
    const lines = Array.from({ length: 500 }, () =>
      [random.below(20), `i:${random.below(9)}`, 1 + random.below(5), random.below(1e9)].join(separator),
    );
    const rows = await compare(lines.join('\n'), options);
    expect(rows).toMatchObject({ badRows: 0 });
  });

  it('does so over the borders of blocks', async () => {
    const random = new SeededRandom(8);
    const lines = Array.from(
      { length: 60_000 },
      () => `${random.below(3000)},${random.below(40)},${1 + random.below(5)}`,
    );
    const rows = await compare(lines.join('\n'), { header: false });
    expect((rows as EncodedRows).users.length).toBe(60_000);
  });
});
