import { VarintReader, VarintWriter } from './varint.js';

/** How many numbers of a sum travel together. Fewer make more reducers, and more rows. */
export const PART_LENGTH = 2 ** 16;

/** A sum that reached 2⁵³, or is no whole number: it would not be exact. */
export class InexactSumError extends Error {
  override readonly name = 'InexactSumError';
}

/** A piece of a sum: whole numbers from `begin` on. */
export interface SumPart {
  readonly key: string;
  readonly values: Float64Array;
}

/**
 * Sums in pieces of `PART_LENGTH`; the key of a piece is its name and number, `vectors:3`. The values stay in
 * place.
 */
export function* partsOf(sums: Readonly<Record<string, Float64Array>>): Generator<SumPart> {
  for (const [name, values] of Object.entries(sums)) {
    for (let begin = 0; begin < values.length; begin += PART_LENGTH)
      yield { key: `${name}:${begin / PART_LENGTH}`, values: values.subarray(begin, begin + PART_LENGTH) };
  }
}

/** A piece as it was before it was encoded. */
export function decodePart(encoded: string): Float64Array {
  const bytes = Buffer.from(encoded, 'base64');
  let length = 0;
  for (let at = 0; at < bytes.length; at++) if (bytes[at] < 128) length++;
  const reader = new VarintReader(bytes);
  return Float64Array.from({ length }, () => reader.signed());
}

const writer = new VarintWriter();

/** @throws InexactSumError */
export function encodePart(values: Float64Array): string {
  for (let at = 0; at < values.length; at++) {
    const value = values[at];
    if (!Number.isSafeInteger(value)) throw new InexactSumError('A sum reached 2^53 and would not be exact.');
    writer.signed(value);
  }
  return writer.take().toString('base64');
}

/**
 * Adds a sum to another. Both are below 2⁵³ before and after, so every addition is exact.
 *
 * @throws InexactSumError
 */
export function addExactly(into: Float64Array, values: Float64Array): void {
  for (let at = 0; at < into.length; at++) {
    const total = into[at] + values[at];
    if (!Number.isSafeInteger(total)) throw new InexactSumError('A sum reached 2^53 and would not be exact.');
    into[at] = total;
  }
}
