import { describe, expect, it } from 'vitest';
import { decodeTable, encodeInParts, encodeTable } from './parquet-table.js';
import type { TableColumn } from './table-column.js';

describe('a table in parts', () => {
  const rows = 600_000; // three groups
  const values = Float64Array.from({ length: rows }, (_, k) => Math.sqrt(k * 7919) % 1);
  const columns: TableColumn[] = [
    { name: 'item', type: 'index', data: Uint32Array.from({ length: rows }, (_, k) => (k * 7) % 1000) },
    { name: 'time', type: 'float64', data: values },
  ];
  const whole = encodeTable(columns);

  it.each([1_000, 1_000_000, whole.length, undefined])('of %s bytes is the whole file', (most) => {
    const parts = encodeInParts(columns, most);
    expect(Buffer.concat(parts).equals(whole)).toBe(true);
    if (most === 1_000_000) {
      expect(parts.length).toBeGreaterThan(3);
      for (const { length } of parts) expect(length).toBeLessThanOrEqual(2 * most);
    }
    if (most === undefined) expect(parts).toHaveLength(1);
  });

  it('is read back', async () => {
    const bytes = Buffer.concat(encodeInParts(columns, 1_000_000));
    const found = new Float64Array(rows);
    const file = {
      byteLength: bytes.length,
      slice: (begin: number, end?: number) => new Uint8Array(bytes.subarray(begin, end)).buffer,
    };
    expect(await decodeTable(file, { time: found })).toBe(rows);
    expect(found).toEqual(values);
  });
});
