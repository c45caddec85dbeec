import { BlockError } from './block.js';

/** Which blocks of a manifest are in a sum: a bit each. */
export class Coverage {
  readonly #bits: Uint8Array;
  readonly #count: number;

  constructor(count: number, bits = new Uint8Array(Math.ceil(count / 8))) {
    if (bits.length !== Math.ceil(count / 8))
      throw new BlockError('A sum is about another number of blocks.');
    this.#count = count;
    this.#bits = bits;
  }

  /** @throws BlockError where it is in there already */
  add(block: number): void {
    const bit = 1 << (block & 7);
    if ((this.#bits[block >> 3] & bit) !== 0) throw new BlockError('A block of people was counted twice.');
    this.#bits[block >> 3] |= bit;
  }

  /** @throws BlockError where one is in both */
  join(other: Coverage): void {
    for (let at = 0; at < this.#bits.length; at++) {
      if ((this.#bits[at] & other.#bits[at]) !== 0)
        throw new BlockError('A block of people was counted twice.');
      this.#bits[at] |= other.#bits[at];
    }
  }

  /** How many blocks are not in it. */
  get missing(): number {
    let there = 0;
    for (let block = 0; block < this.#count; block++) there += (this.#bits[block >> 3] >> (block & 7)) & 1;
    return this.#count - there;
  }

  toString(): string {
    return Buffer.from(this.#bits).toString('base64');
  }
}
