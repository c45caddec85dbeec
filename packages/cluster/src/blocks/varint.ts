/**
 * Whole numbers in bytes of 7 bits each, least first; the eighth bit says that more follow. Grows as it is
 * written to.
 */
export class VarintWriter {
  #bytes = new Uint8Array(1024);
  #length = 0;

  /** @param value a whole number from 0 to 2⁵⁴ */
  unsigned(value: number): void {
    if (this.#length + 9 > this.#bytes.length) this.#grow(9);
    let rest = value;
    while (rest >= 128) {
      this.#bytes[this.#length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }

  /** Sign and six bits first, so that every whole number within ±2⁵³ is exact. */
  signed(value: number): void {
    if (this.#length + 9 > this.#bytes.length) this.#grow(9);
    const magnitude = Math.abs(value);
    const first = 2 * (magnitude % 64) + (value < 0 ? 1 : 0);
    if (magnitude < 64) {
      this.#bytes[this.#length++] = first;
      return;
    }
    this.#bytes[this.#length++] = first | 128;
    this.unsigned(Math.floor(magnitude / 64));
  }

  bytes(bytes: Uint8Array): void {
    if (this.#length + bytes.length > this.#bytes.length) this.#grow(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  get length(): number {
    return this.#length;
  }

  /** What was written; the writer begins anew, in the same memory, with the next call. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.buffer, 0, this.#length);
    this.#length = 0;
    return taken;
  }

  #grow(by: number): void {
    const grown = new Uint8Array(2 * this.#bytes.length + by);
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}

/** @throws RangeError where the bytes end too early */
export class VarintReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  unsigned(): number {
    let value = 0;
    for (let unit = 1; ; unit *= 128) {
      if (this.#at >= this.#bytes.length) throw new RangeError('The bytes end in the middle of a number.');
      const byte = this.#bytes[this.#at++];
      if (byte < 128) return value + byte * unit;
      value += (byte - 128) * unit;
    }
  }

  signed(): number {
    if (this.#at >= this.#bytes.length) throw new RangeError('The bytes end in the middle of a number.');
    const first = this.#bytes[this.#at++];
    const magnitude = ((first & 127) >> 1) + (first < 128 ? 0 : 64 * this.unsigned());
    return (first & 1) === 1 ? -magnitude : magnitude;
  }

  bytes(length: number): Uint8Array {
    if (this.#at + length > this.#bytes.length) throw new RangeError('The bytes end too early.');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  /** @throws RangeError where something is left */
  end(): void {
    if (this.#at !== this.#bytes.length) throw new RangeError('There is something behind the last number.');
  }
}
