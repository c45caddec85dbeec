import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileFormats } from '../formats.js';
import { importSource } from '../import-source.js';
import { jsonLines } from './example-format.test.data.js';
import { formatContract } from './format-contract.test.data.js';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

describe('the format of docs/add-a-format.md', () => {
  it('is this one, and it is imported', async () => {
    expect(read('../../../../docs/add-a-format.md')).toContain(
      '(../packages/ratings/src/formats/example-format.test.data.ts)',
    );
    const folder = mkdtempSync(join(tmpdir(), 'hushrec-example-format-'));
    try {
      writeFileSync(join(folder, 'r.jsonl'), `${jsonLines.example.content}{"user":"2","rating":4}\n`);
      const scale = { min: 1, max: 5, step: 1 };
      const report = await importSource(join(folder, 'r.jsonl'), join(folder, 'set'), {
        ...{ format: jsonLines, scale, skipBadRows: 1 },
      });
      expect(report).toMatchObject({ format: 'json-lines', people: 2, items: 2, ratings: 3, badRows: 1 });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it.each(formatContract)('$says', ({ holds }) => holds(jsonLines, [jsonLines, ...fileFormats]));
});
